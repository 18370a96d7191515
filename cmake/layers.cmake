# Layers: OBJECT libraries that know which layers they stand on.
#
#   taffrail_layer(NAME store SOURCES log_writer.cpp … USES model record codec io LIBRARIES zstd::libzstd_static)
#
# OBJECT libraries do not bring each other's objects along, so each layer carries the closure of the layers below it and
# taffrail_link_layers(target store) adds all of them to a program, a test or the library.

add_library(taffrail_options INTERFACE)
target_compile_options(taffrail_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
    # Options are plain structs with defaults: naming only the members that differ is the point.
    -Wno-missing-field-initializers)
if(CMAKE_UNITY_BUILD)
    # Every file is an included one there, and the compiler takes its unnamed namespaces for a header's.
    target_compile_options(taffrail_options INTERFACE -Wno-subobject-linkage)
endif()
# g++ 12 takes members of an empty optional and of moved-from pointers for uninitialised once unity builds inline them; the sanitizers and clang see the real ones.
target_compile_options(taffrail_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
if(TAFFRAIL_WERROR)
    # Not -Werror: the compile lines stay those of the build without, so that one compiler cache serves both.
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/silent_compiler.sh)
endif()
# Places in messages are those below the sources: no program says where it was built, and objects of one checkout serve another out of the compiler cache.
target_compile_options(taffrail_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_include_directories(taffrail_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    # SSE4.2 (2008) carries the crc32 instruction; wider instructions are chosen at run time where they pay.
    target_compile_options(taffrail_options INTERFACE -msse4.2)
else()
    target_compile_options(taffrail_options INTERFACE -march=armv8-a+crc)
endif()
find_package(Threads REQUIRED)
target_link_libraries(taffrail_options INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

function(taffrail_layer)
    cmake_parse_arguments(arg "" "NAME" "SOURCES;USES;LIBRARIES" ${ARGN})
    set(target taffrail_${arg_NAME})
    add_library(${target} OBJECT ${arg_SOURCES})
    add_library(taffrail::${arg_NAME} ALIAS ${target})
    target_link_libraries(${target} PRIVATE taffrail_options ${arg_LIBRARIES})
    set(closure ${arg_NAME})
    foreach(used IN LISTS arg_USES)
        get_target_property(below taffrail_${used} TAFFRAIL_CLOSURE)
        list(APPEND closure ${below})
    endforeach()
    if(NOT arg_NAME STREQUAL "base")
        list(APPEND closure base)
    endif()
    list(REMOVE_DUPLICATES closure)
    set_target_properties(${target} PROPERTIES TAFFRAIL_CLOSURE "${closure}" TAFFRAIL_LIBRARIES "${arg_LIBRARIES}")
    set_property(GLOBAL APPEND PROPERTY TAFFRAIL_LAYERS ${arg_NAME})
endfunction()

# Adds the objects and libraries of the named layers, and of all layers below them, to `target`.
function(taffrail_link_layers target)
    set(closure "")
    foreach(name IN LISTS ARGN)
        get_target_property(below taffrail_${name} TAFFRAIL_CLOSURE)
        list(APPEND closure ${below})
    endforeach()
    list(REMOVE_DUPLICATES closure)
    foreach(name IN LISTS closure)
        get_target_property(libraries taffrail_${name} TAFFRAIL_LIBRARIES)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:taffrail_${name}>)
        target_link_libraries(${target} PRIVATE ${libraries})
    endforeach()
    # Compiler options are for building only; an installed archive must not ask for them.
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:taffrail_options>)
endfunction()

# A program that finds its libraries in ../lib when a package put them there. RPATH in the old form is also used for the
# libraries of libraries.
function(taffrail_relocatable target)
    target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
    set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN/../lib" INSTALL_RPATH "$ORIGIN/../lib")
endfunction()

# A GoogleTest program for one layer: tests/<layer>/CMakeLists.txt says
#   taffrail_test(NAME store_test SOURCES frame_test.cpp … LAYERS store)
# Labels default to `unit`; RESOURCE_LOCK and TIMEOUT may be given per program. FORKS: it forks beside threads of its own.
function(taffrail_test)
    cmake_parse_arguments(arg "FORKS" "NAME;TIMEOUT" "SOURCES;LAYERS;LIBRARIES;LABELS" ${ARGN})
    add_executable(${arg_NAME} ${arg_SOURCES})
    taffrail_link_layers(${arg_NAME} ${arg_LAYERS})
    target_link_libraries(${arg_NAME} PRIVATE GTest::gmock GTest::gtest_main taffrail_test_places ${arg_LIBRARIES})
    if(arg_FORKS AND TARGET taffrail_fork_locks)
        target_link_libraries(${arg_NAME} PRIVATE taffrail_fork_locks)
    endif()
    target_include_directories(${arg_NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 300)  # for what hangs: far beyond what a test takes on a machine that others use
    endif()
    gtest_discover_tests(${arg_NAME} DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
