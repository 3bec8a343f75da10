# athanor_add_module(NAME engine_graph [TORCH] [QT] SOURCES … DEPENDS engine_base … [LIBS …] [PUBLIC_LIBS …])
#
# The one way to make a library of this project. DEPENDS names other modules and is held against the
# allow-list below, which is the module table of docs/architecture.md; anything else stops the configuration.
# LIBS are third-party libraries that stay private, PUBLIC_LIBS ones whose headers show in our headers.
set(ATHANOR_ALLOW_engine_base "")
set(ATHANOR_ALLOW_engine_graph engine_base)
set(ATHANOR_ALLOW_engine_metrics engine_base)
set(ATHANOR_ALLOW_engine_project engine_base engine_graph)
set(ATHANOR_ALLOW_engine_diagnose engine_base engine_graph engine_metrics)
set(ATHANOR_ALLOW_engine_store engine_base engine_graph engine_project engine_metrics engine_diagnose)
set(ATHANOR_ALLOW_engine_script engine_base engine_graph)
set(ATHANOR_ALLOW_engine_compare engine_base engine_graph engine_project engine_metrics engine_diagnose engine_store)
set(ATHANOR_ALLOW_engine_exchange engine_base engine_graph engine_project engine_metrics engine_diagnose engine_store
    engine_compare)
set(ATHANOR_ALLOW_engine_data engine_base engine_graph engine_project engine_script)
set(ATHANOR_ALLOW_engine_preflight engine_base engine_graph engine_project engine_metrics engine_diagnose engine_script
    engine_data)
set(ATHANOR_ALLOW_engine_train engine_base engine_graph engine_project engine_metrics engine_script engine_data)
set(ATHANOR_ALLOW_engine_doctor engine_base engine_graph engine_project engine_metrics engine_diagnose engine_script engine_data
    engine_preflight engine_train)
set(ATHANOR_ALLOW_engine_run engine_base engine_graph engine_project engine_metrics engine_diagnose
    engine_store engine_script engine_data engine_train)
set(ATHANOR_ALLOW_ui_theme "")
set(ATHANOR_ALLOW_ui_bridge engine_compare engine_exchange engine_run engine_preflight ${ATHANOR_ALLOW_engine_run})
set(ATHANOR_ALLOW_ui_script ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})
set(ATHANOR_ALLOW_ui_weights ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})
set(ATHANOR_ALLOW_ui_graph ui_script ui_weights ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})
set(ATHANOR_ALLOW_ui_plot ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})
set(ATHANOR_ALLOW_ui_compare ui_plot ui_graph ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})
set(ATHANOR_ALLOW_ui_data ui_graph ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})
set(ATHANOR_ALLOW_ui_shell ui_compare ui_data ui_plot ui_graph ui_bridge ui_theme ${ATHANOR_ALLOW_ui_bridge})

function(athanor_add_module)
  cmake_parse_arguments(M "TORCH;QT" "NAME" "SOURCES;DEPENDS;LIBS;PUBLIC_LIBS" ${ARGN})
  if(NOT DEFINED ATHANOR_ALLOW_${M_NAME})
    message(FATAL_ERROR "${M_NAME} is not in the module table of cmake/add_module.cmake")
  endif()
  foreach(dependency IN LISTS M_DEPENDS)
    if(NOT dependency IN_LIST ATHANOR_ALLOW_${M_NAME})
      message(FATAL_ERROR "${M_NAME} may not depend on ${dependency} (see docs/architecture.md)")
    endif()
  endforeach()
  add_library(${M_NAME} STATIC ${M_SOURCES})
  target_link_libraries(${M_NAME} PUBLIC athanor_settings ${M_DEPENDS} ${M_PUBLIC_LIBS} PRIVATE ${M_LIBS})
  if(M_TORCH)
    athanor_use_torch(${M_NAME})
  endif()
  if(M_QT)
    set_target_properties(${M_NAME} PROPERTIES AUTOMOC ON)
  endif()
endfunction()

# The environment of every test: no display, one scale, and a home of its own, so that no test can read or write
# what the user keeps.
set(ATHANOR_TEST_HOME "${CMAKE_BINARY_DIR}/test-home")
file(MAKE_DIRECTORY "${ATHANOR_TEST_HOME}/runtime")
file(CHMOD "${ATHANOR_TEST_HOME}/runtime" DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ATHANOR_TEST_ENVIRONMENT
  QT_QPA_PLATFORM=offscreen QT_SCALE_FACTOR=1 LC_ALL=C.UTF-8
  HOME=${ATHANOR_TEST_HOME} XDG_RUNTIME_DIR=${ATHANOR_TEST_HOME}/runtime XDG_DATA_HOME=${ATHANOR_TEST_HOME}/data
  XDG_CONFIG_HOME=${ATHANOR_TEST_HOME}/config XDG_CACHE_HOME=${ATHANOR_TEST_HOME}/cache
  XDG_STATE_HOME=${ATHANOR_TEST_HOME}/state)

# athanor_register_test(NAME COMMAND TIMEOUT LABELS) for anything that is not a Qt Test program. Every test gets
# the name of its folder under tests/ (engine, ui, cli, repository) as a label.
function(athanor_register_test)
  cmake_parse_arguments(T "" "NAME;TIMEOUT" "COMMAND;LABELS" ${ARGN})
  add_test(NAME ${T_NAME} COMMAND ${T_COMMAND})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_SOURCE_DIR}/tests" OUTPUT_VARIABLE layer)
  string(REGEX REPLACE "/.*" "" layer "${layer}")
  list(APPEND T_LABELS ${layer})
  list(REMOVE_DUPLICATES T_LABELS)
  set_tests_properties(${T_NAME} PROPERTIES
    TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}" ENVIRONMENT "${ATHANOR_TEST_ENVIRONMENT}")
endfunction()

# athanor_add_test(NAME tst_x SOURCES … LIBS … [LABELS …] [GUI] [TORCH] [TIMEOUT seconds])
# GUI adds the label "gui": the test opens windows.
function(athanor_add_test)
  cmake_parse_arguments(T "GUI;TORCH" "NAME;TIMEOUT" "SOURCES;LIBS;LABELS" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  set_target_properties(${T_NAME} PROPERTIES AUTOMOC ON)
  target_link_libraries(${T_NAME} PRIVATE athanor_settings ${T_LIBS} Qt6::Test)
  target_compile_definitions(${T_NAME} PRIVATE
    ATHANOR_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ATHANOR_BINARY_DIR="${CMAKE_BINARY_DIR}")
  if(T_TORCH)
    athanor_use_torch(${T_NAME})
  endif()
  if(T_GUI)
    list(APPEND T_LABELS gui)
  endif()
  athanor_register_test(NAME ${T_NAME} COMMAND ${T_NAME} TIMEOUT ${T_TIMEOUT} LABELS ${T_LABELS})
endfunction()
