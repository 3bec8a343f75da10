# Every third-party library, found once. All are Debian packages (Debian 12 and 13).
find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(GVC REQUIRED IMPORTED_TARGET libgvc)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
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
add_library(athanor_torch INTERFACE)
target_link_libraries(athanor_torch INTERFACE ${TORCH_LIBRARIES})
target_include_directories(athanor_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})

if(ATHANOR_UI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets PrintSupport Svg)
  find_package(QCustomPlotQt6 REQUIRED)
endif()
if(ATHANOR_TESTS)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)
endif()
if(ATHANOR_BENCH)
  find_package(benchmark REQUIRED)
endif()
