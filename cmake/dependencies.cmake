# Every third-party library, found once. All are Debian packages (Debian 12 and 13).
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(LibArchive REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GVC REQUIRED IMPORTED_TARGET libgvc)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(SENTENCEPIECE REQUIRED IMPORTED_TARGET sentencepiece)
find_package(CLI11 REQUIRED)

# OpenCV by hand: its package file wants the headers of every OpenCV module (400 MB of packages), we use three.
find_path(ATHANOR_OPENCV_INCLUDE opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4 REQUIRED)
foreach(module IN ITEMS core imgproc imgcodecs)
  find_library(ATHANOR_OPENCV_${module} opencv_${module} REQUIRED)
  add_library(opencv_${module} UNKNOWN IMPORTED)
  set_target_properties(opencv_${module} PROPERTIES
    IMPORTED_LOCATION "${ATHANOR_OPENCV_${module}}"
    INTERFACE_INCLUDE_DIRECTORIES "${ATHANOR_OPENCV_INCLUDE}")
endforeach()
set(OpenCV_LIBS opencv_imgcodecs opencv_imgproc opencv_core)

# LibTorch's own package file looks for CUDA on its own; a machine with a CUDA toolkit but a CPU LibTorch
# must not fail there, hence quiet and checked by hand.
find_package(Torch REQUIRED)
find_package(OpenMP REQUIRED)
add_library(athanor_torch INTERFACE)
# LibTorch's parallel_for is a template that needs OpenMP in whoever calls it.
target_link_libraries(athanor_torch INTERFACE ${TORCH_LIBRARIES} OpenMP::OpenMP_CXX)
target_include_directories(athanor_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})

# torch/torch.h costs 14 s and half a gigabyte of precompiled header: it is compiled once and shared by every
# target that says TORCH.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/torch_header.cpp" CONTENT "// carries the precompiled header\n")
add_library(athanor_torch_header OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/torch_header.cpp")
target_link_libraries(athanor_torch_header PRIVATE athanor_settings athanor_torch)
target_precompile_headers(athanor_torch_header PRIVATE <torch/torch.h>)

function(athanor_use_torch target)
  target_link_libraries(${target} PRIVATE athanor_torch)
  target_precompile_headers(${target} REUSE_FROM athanor_torch_header)
endfunction()

if(ATHANOR_UI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets PrintSupport Svg)
  find_package(QCustomPlotQt6 REQUIRED)
  # Debian's package of QScintilla has no CMake file.
  find_path(ATHANOR_QSCINTILLA_INCLUDE Qsci/qsciscintilla.h PATH_SUFFIXES qt6
    HINTS ${Qt6Core_INCLUDE_DIRS} ${Qt6Widgets_INCLUDE_DIRS} REQUIRED)
  find_library(ATHANOR_QSCINTILLA_LIBRARY qscintilla2_qt6 REQUIRED)
  add_library(QScintilla UNKNOWN IMPORTED)
  set_target_properties(QScintilla PROPERTIES
    IMPORTED_LOCATION "${ATHANOR_QSCINTILLA_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${ATHANOR_QSCINTILLA_INCLUDE}")
endif()
if(ATHANOR_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()
if(ATHANOR_BENCH)
  find_package(benchmark REQUIRED)
endif()
