# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# ccache, when it is there, is told to look through precompiled headers and to forget the folder of the
# checkout, so that several build folders share one cache.
find_program(ATHANOR_CCACHE ccache)
if(ATHANOR_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale
      ${ATHANOR_CCACHE})
endif()

add_library(athanor_settings INTERFACE)
target_include_directories(athanor_settings INTERFACE ${CMAKE_SOURCE_DIR})
# A Qt header before a torch header does not compile with Qt's lower-case keywords.
target_compile_definitions(athanor_settings INTERFACE QT_NO_KEYWORDS QT_NO_FOREACH)
target_compile_options(athanor_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow=local
                       -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(ATHANOR_CCACHE)
  target_compile_options(athanor_settings INTERFACE -fpch-preprocess)
endif()
if(ATHANOR_WARNINGS_AS_ERRORS)
  target_compile_options(athanor_settings INTERFACE -Werror)
endif()
if(ATHANOR_SANITIZE)
  # The sanitizers' own code makes g++ see uninitialised values in LibTorch's optional where there are none.
  target_compile_options(athanor_settings INTERFACE -fsanitize=${ATHANOR_SANITIZE} -fno-omit-frame-pointer
    -Wno-maybe-uninitialized)
  target_link_options(athanor_settings INTERFACE -fsanitize=${ATHANOR_SANITIZE})
endif()

# Where programs find libraries of ours that they load by name.
include(GNUInstallDirs)
set(CMAKE_BUILD_RPATH "${CMAKE_BINARY_DIR}/lib")
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/athanor")
