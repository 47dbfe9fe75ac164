# The groups of modules on which each group may depend. `run` is combined with `model` and `gateway` only in standard/.
set(vernier_base_on      base)
set(vernier_net_on       base)
set(vernier_document_on  base)
set(vernier_kernel_on    base kernel)
set(vernier_component_on base kernel)
set(vernier_testing_on   base kernel component)
set(vernier_model_on     base document kernel component model)
set(vernier_gateway_on   base net document kernel component gateway rti1516e)
set(vernier_rti1516e_on  base net gateway)
set(vernier_run_on       base net document kernel component run)
set(vernier_standard_on  base net document kernel component model gateway rti1516e run)

add_library(vernier_warnings INTERFACE)
target_compile_options(vernier_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow
  -Wnon-virtual-dtor -Wcast-align -Woverloaded-virtual -Wconversion -Wno-sign-conversion
  # code written for lanes is also compiled for single numbers
  $<$<CXX_COMPILER_ID:Clang>:-Wno-bitwise-instead-of-logical>
  # clang also warns of shadowing between sources that are compiled together; gcc's warnings decide (preset `gcc`)
  $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>
  # gcc 12 reports false overflows in inlined library code
  $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds -Wno-restrict -Wno-maybe-uninitialized>
  $<$<BOOL:${VERNIER_WERROR}>:-Werror>)

# One setting for all code: a*b + c is never contracted, so that every back end, instruction set
# and machine computes the same bits.
add_library(vernier_flags INTERFACE)
target_compile_options(vernier_flags INTERFACE -ffp-contract=off)
if(VERNIER_SANITIZE)
  target_compile_options(vernier_flags INTERFACE -fsanitize=${VERNIER_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(vernier_flags INTERFACE -fsanitize=${VERNIER_SANITIZE})
  # vernier::testing defines operator new to count allocations; clang's own must not be linked as well
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang AND NOT VERNIER_FUZZ)
    if(VERNIER_SANITIZE STREQUAL thread)
      target_link_options(vernier_flags INTERFACE --driver-mode=gcc)
      target_link_libraries(vernier_flags INTERFACE stdc++ m)
    else()
      execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
        OUTPUT_VARIABLE checks OUTPUT_STRIP_TRAILING_WHITESPACE)
      cmake_path(GET checks PARENT_PATH checks)
      target_link_options(vernier_flags INTERFACE -shared-libasan -Wl,-rpath,${checks})
    endif()
  endif()
endif()
if(VERNIER_FUZZ)
  target_compile_options(vernier_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
install(TARGETS vernier_flags EXPORT vernier_modules)

# What `cmake --install` needs, without tests and benchmarks: cmake --build build --target installable
add_custom_target(installable)
function(vernier_installs)
  foreach(target IN LISTS ARGN)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      add_dependencies(installable ${target})
    endif()
  endforeach()
endfunction()

# vernier_module(<path> [DEPENDS <path>...] [USES <imported target>...]
#                [HEADERS <file>...] [SOURCES <file>...] [TESTS <file>...] [EMBEDS <file>...] [INTERNAL]
#                [COLD] [TOGETHER] [TESTS_TOGETHER])
#
# One module: the target vernier::<last part of path>, its tests, its installation. Depends only
# on modules declared before it, so there are no cycles. Files are listed by hand, so that adding
# one shows in the diff. EMBEDS: files (relative to the source root) compiled into the module; see
# vernier_embed(). INTERNAL: not installed. COLD: used only before and after runs, so that compile time matters
# more than speed. TOGETHER: several of its sources are compiled as one, see
# vernier_together(); TESTS_TOGETHER: so are its tests.
function(vernier_module path)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INTERNAL;COLD;TOGETHER;TESTS_TOGETHER" "" "DEPENDS;USES;HEADERS;SOURCES;TESTS;EMBEDS")
  cmake_path(GET path FILENAME name)
  string(REGEX REPLACE "/.*" "" group ${path})

  foreach(other IN LISTS arg_DEPENDS)
    string(REGEX REPLACE "/.*" "" other_group ${other})
    cmake_path(GET other FILENAME other_name)
    if(NOT other_group IN_LIST vernier_${group}_on)
      message(FATAL_ERROR "${path} may not depend on ${other}: ${group} builds on ${vernier_${group}_on}")
    elseif(NOT TARGET vernier::${other_name})
      message(FATAL_ERROR "${path} depends on ${other}, which is not declared before it")
    endif()
    list(APPEND modules vernier::${other_name})
  endforeach()

  if(arg_EMBEDS)
    vernier_embed(${name} embedded ${arg_EMBEDS})
    list(APPEND arg_SOURCES ${embedded})
  endif()
  if(arg_SOURCES)
    set(scope PUBLIC)
    add_library(vernier_${name} STATIC ${arg_SOURCES})
    target_link_libraries(vernier_${name} PRIVATE $<BUILD_INTERFACE:vernier_warnings>)
  else()
    set(scope INTERFACE)
    add_library(vernier_${name} INTERFACE)
  endif()
  add_library(vernier::${name} ALIAS vernier_${name})
  set_target_properties(vernier_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(vernier_${name} ${scope} cxx_std_20)
  target_sources(vernier_${name} ${scope}
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_link_libraries(vernier_${name} ${scope} vernier_flags ${modules} ${arg_USES})
  # targets that depend on Eigen use its precompiled headers
  set(with "")
  foreach(module IN LISTS modules)
    get_property(inherited GLOBAL PROPERTY vernier_with_${module})
    string(APPEND with "${inherited}")
  endforeach()
  if(with OR "Eigen3::Eigen" IN_LIST arg_USES)
    set(with eigen_)
  endif()
  set_property(GLOBAL PROPERTY vernier_with_vernier::${name} "${with}")
  if(arg_SOURCES)
    if(arg_COLD AND NOT VERNIER_SANITIZE)
      target_compile_options(vernier_${name} PRIVATE -O1)
    endif()
    vernier_precompile(vernier_${name} FROM vernier_${with}headers)
    if(arg_TOGETHER)
      vernier_together(vernier_${name})
    endif()
  endif()
  if(NOT arg_INTERNAL)
    install(TARGETS vernier_${name} EXPORT vernier_modules FILE_SET HEADERS)
    vernier_installs(vernier_${name})
  endif()

  if(BUILD_TESTING)
    add_test(NAME ${name}.includes COMMAND Python3::Interpreter
      ${PROJECT_SOURCE_DIR}/tools/check_includes.py ${PROJECT_SOURCE_DIR}/vernier ${path} ${arg_DEPENDS})
    if(arg_TESTS)
      set_property(GLOBAL APPEND PROPERTY vernier_tested ${name})
      set_property(GLOBAL PROPERTY vernier_tests_${name} ${arg_TESTS})
      set_property(GLOBAL PROPERTY vernier_tests_together_${name} ${arg_TESTS_TOGETHER})
      set_property(GLOBAL PROPERTY vernier_tests_dir_${name} ${CMAKE_CURRENT_SOURCE_DIR})
    endif()
  endif()
endfunction()

# vernier_once(<module> <file>...): further sources of a module with Eigen, for work that is done once per model, not once per
# step: compile time matters more than speed. (With sanitizers, -O1 takes a quarter of an hour for one of them.)
function(vernier_once module)
  set(once vernier_${module}_once)
  add_library(${once} OBJECT ${ARGN})
  target_link_libraries(${once} PRIVATE $<TARGET_PROPERTY:vernier_${module},LINK_LIBRARIES>)
  target_sources(vernier_${module} PRIVATE $<TARGET_OBJECTS:${once}>)
  if(NOT VERNIER_SANITIZE)
    target_compile_options(${once} PRIVATE -O1)
  endif()
  vernier_precompile(${once} FROM vernier_eigen_headers)
endfunction()

# vernier_shared(<target> FROM <static library> EXPORTS <version script>): a shared library with all of a static one
# and its dependencies. Only the symbols in the script are visible.
function(vernier_shared target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM;EXPORTS" "")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp "")
  add_library(${target} SHARED ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
  target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${arg_FROM}>)
  target_link_options(${target} PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/${arg_EXPORTS})
  if(NOT VERNIER_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
  # versions 0.x are not compatible with each other
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${arg_EXPORTS}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# vernier_precompile(<target> <header>...)       the headers are compiled once for all of its sources
# vernier_precompile(<target> FROM <other>)      those of another target
# Only with clang: gcc's cannot be used by sources with another optimization.
function(vernier_precompile target)
  if(NOT VERNIER_TOGETHER OR NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    return()
  endif()
  if(ARGV1 STREQUAL FROM)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  # required by ccache
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# vernier_quickly(<target>): for tests, which need no optimization if the code under test has it.
function(vernier_quickly target)
  target_compile_options(${target} PRIVATE -O0)
endfunction()

# vernier_together(<target>): its sources are compiled 24 at a time, which halves the time of a
# full build. For targets whose sources do not define the same name twice.
function(vernier_together target)
  if(VERNIER_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
    # gcc warns about anonymous namespaces in sources that another file includes
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# vernier_lanes(<module> <stem>...): each <stem>_sse2.cpp, _avx2.cpp and _avx512.cpp is compiled for its instruction set,
# chosen at run time. All sets give the same bits with every compiler: nothing is fused or reordered. Vectorization is
# explicit; gcc's automatic vectorization in addition would make it slower.
function(vernier_lanes name)
  set(plain -fno-math-errno -fno-trapping-math -fno-tree-vectorize -fno-tree-slp-vectorize)
  set(avx2 -mavx2)
  set(avx512 -mavx2 -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)
  set(sources ${ARGN})
  list(TRANSFORM sources APPEND _sse2.cpp)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${plain}" SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(vernier_${name} PRIVATE ${sources})
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  target_compile_definitions(vernier_${name} PRIVATE VERNIER_WIDE_INSTRUCTIONS)
  get_target_property(libraries vernier_${name} LINK_LIBRARIES)
  foreach(set avx2 avx512)
    set(wide vernier_${name}_${set})
    set(sources ${ARGN})
    list(TRANSFORM sources APPEND _${set}.cpp)
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS "${plain};${${set}}")
    add_library(${wide} OBJECT ${sources})
    target_link_libraries(${wide} PRIVATE ${libraries} vernier_warnings)
    target_sources(vernier_${name} PRIVATE $<TARGET_OBJECTS:${wide}>)
    list(APPEND wide_objects $<TARGET_OBJECTS:${wide}>)
  endforeach()
  # objects for special instruction sets must not define functions that the linker shares with others
  # (sanitizers add such symbols)
  if(BUILD_TESTING AND NOT VERNIER_SANITIZE)
    add_test(NAME ${name}.instructions COMMAND Python3::Interpreter
      ${PROJECT_SOURCE_DIR}/tools/check_instructions.py avx2,avx512 ${wide_objects} COMMAND_EXPAND_LISTS)
  endif()
endfunction()

# vernier_optimize_sanitized(<target>): optimizes also under sanitizers, for code that must keep time there.
function(vernier_optimize_sanitized target)
  if(VERNIER_SANITIZE AND NOT VERNIER_FUZZ)
    target_compile_options(${target} PRIVATE -O1)
    set_target_properties(${target} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# vernier_common_headers(<target> <header>...): a target whose precompiled headers others use; with those of Eigen if its
# name says so.
function(vernier_common_headers target)
  target_link_libraries(${target} PRIVATE vernier_flags vernier_warnings)
  set(read ${ARGN})
  if(target MATCHES eigen)
    target_link_libraries(${target} PRIVATE Eigen3::Eigen)
    list(APPEND read <Eigen/Dense>)
  endif()
  vernier_precompile(${target} ${read})
endfunction()

# Precompiled headers for all modules, without and with Eigen; called once, before the modules.
function(vernier_module_headers)
  if(NOT VERNIER_TOGETHER)
    return()
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/headers.cpp "")
  foreach(headers headers eigen_headers)
    add_library(vernier_${headers} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers.cpp)
    vernier_common_headers(vernier_${headers} <algorithm> <array> <chrono> <cmath> <cstdint> <functional> <map> <memory>
      <optional> <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
  endforeach()
endfunction()

# The test executables of all modules; called once, after vernier::testing is declared.
function(vernier_module_tests)
  if(NOT BUILD_TESTING)
    return()
  endif()
  # executables, since libraries use another position-independence option
  file(WRITE ${PROJECT_BINARY_DIR}/test_headers.cpp "int main() {}\n")
  foreach(headers test_headers eigen_test_headers)
    add_executable(vernier_${headers} EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/test_headers.cpp)
    target_link_libraries(vernier_${headers} PRIVATE GTest::gmock GTest::gtest)
    vernier_quickly(vernier_${headers})
    target_compile_definitions(vernier_${headers} PRIVATE VERNIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    vernier_common_headers(vernier_${headers} <gmock/gmock.h> <gtest/gtest.h> <cmath> <string> <vector>)
  endforeach()
  get_property(names GLOBAL PROPERTY vernier_tested)
  foreach(name IN LISTS names)
    get_property(files GLOBAL PROPERTY vernier_tests_${name})
    get_property(dir GLOBAL PROPERTY vernier_tests_dir_${name})
    list(TRANSFORM files PREPEND ${dir}/)
    add_executable(${name}_test ${files})
    target_link_libraries(${name}_test PRIVATE vernier::${name} vernier::testing GTest::gmock_main vernier_warnings)
    target_compile_definitions(${name}_test PRIVATE VERNIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    vernier_quickly(${name}_test)
    get_property(with GLOBAL PROPERTY vernier_with_vernier::${name})
    vernier_precompile(${name}_test FROM vernier_${with}test_headers)
    get_property(together GLOBAL PROPERTY vernier_tests_together_${name})
    if(together)
      vernier_together(${name}_test)
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
  endforeach()
endfunction()

# vernier_embed(<name> <out variable> <file>...): a source file that contains the given files (relative
# to the source root) byte by byte, accessible through
#   namespace vernier::embedded { std::string_view <name>(std::string_view file) noexcept; }
# which returns the content, or an empty view for a file that was not embedded, and
#   std::span<const std::string_view> <name>_files() noexcept;
# which returns their names.
function(vernier_embed name out)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_embedded.cpp)
  set(files ${ARGN})
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE inputs)
  add_custom_command(OUTPUT ${source}
    COMMAND python3 ${PROJECT_SOURCE_DIR}/tools/embed.py ${name} ${PROJECT_SOURCE_DIR} ${source} ${files}
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/tools/embed.py
    VERBATIM)
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  set(${out} ${source} PARENT_SCOPE)
endfunction()

# vernier_fuzz(<name> <source> DEPENDS <module>... CORPUS <folder> [OPTIONS <option>...]): a libFuzzer target, built by
# the preset `fuzz` and run by `make fuzz`; its corpus is in the tree.
function(vernier_fuzz name source)
  if(NOT VERNIER_FUZZ)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "CORPUS" "DEPENDS;OPTIONS")
  add_executable(fuzz_${name} ${source})
  list(TRANSFORM arg_DEPENDS PREPEND vernier::)
  target_link_libraries(fuzz_${name} PRIVATE ${arg_DEPENDS} vernier_flags vernier_warnings)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  target_compile_definitions(fuzz_${name} PRIVATE VERNIER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  list(JOIN arg_OPTIONS " " options)
  set_property(GLOBAL APPEND PROPERTY vernier_fuzzers "fuzz_${name} ${PROJECT_SOURCE_DIR}/${arg_CORPUS} ${options}")
endfunction()
