# What `cmake --install` and `cpack` install; docs/packages.md describes it.
include_guard()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # Of packages on all of the tests.
add_custom_target(installable)  # All that is installed.
set(files "${CMAKE_CURRENT_LIST_DIR}/install")
set(generated "${PROJECT_BINARY_DIR}/generated/install")
set(doc "${CMAKE_INSTALL_DOCDIR}")
set(config "${CMAKE_INSTALL_LIBDIR}/cmake/latimer")
set(latimer_source "${CMAKE_INSTALL_DATADIR}/latimer/source")
# A new minor version may change the ABI, a new major one the API, too.
set(latimer_abi "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")

# ---- Libraries: the objects of the runtime and all that it links ------------

get_target_property(parts latimer_runtime LATIMER_PARTS)
list(APPEND parts latimer_hosted latimer_xnnpack_kernels)
if(TARGET latimer_sodium)
  list(APPEND parts latimer_sodium)
endif()
list(TRANSFORM parts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
# The runtime has the files of base/ too.
list(APPEND parts
  "$<FILTER:$<TARGET_OBJECTS:latimer_signature>,EXCLUDE,(format|status).cc>")
add_library(latimer_static STATIC ${parts})
set(latimer_libraries latimer_static)
if(LATIMER_SHARED)
  add_library(latimer_shared SHARED ${parts})
  list(APPEND latimer_libraries latimer_shared)
  configure_file("${files}/latimer.map.in" "${generated}/latimer.map" @ONLY)
  target_link_options(latimer_shared PRIVATE -Wl,--no-undefined
    "-Wl,--version-script=${generated}/latimer.map")
  target_link_libraries(latimer_shared PRIVATE Threads::Threads latimer_options)
  set_target_properties(latimer_shared PROPERTIES EXPORT_NAME latimer
    VERSION ${PROJECT_VERSION} SOVERSION ${latimer_abi}
    LINK_DEPENDS "${generated}/latimer.map")
endif()
target_link_libraries(latimer_static PUBLIC Threads::Threads
  $<$<PLATFORM_ID:Windows>:synchronization>)
foreach(library IN LISTS latimer_libraries)
  target_include_directories(${library}
    INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_compile_features(${library} INTERFACE cxx_std_20)
  set_target_properties(${library} PROPERTIES
    OUTPUT_NAME latimer LINKER_LANGUAGE CXX)
endforeach()
add_dependencies(installable ${latimer_libraries})
install(TARGETS ${latimer_libraries} EXPORT latimer)
install(TARGETS latimer)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/include/latimer"
  TYPE INCLUDE)
install(FILES "${latimer_profile}"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/latimer" RENAME profile_config.h)

# ---- For CMake and pkg-config -----------------------------------------------

install(EXPORT latimer NAMESPACE latimer:: DESTINATION "${config}"
  FILE latimer-targets.cmake)
configure_package_config_file("${files}/latimer-config.cmake.in"
  "${generated}/latimer-config.cmake" INSTALL_DESTINATION "${config}"
  PATH_VARS latimer_source)
write_basic_package_version_file("${generated}/latimer-config-version.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES "${generated}/latimer-config.cmake"
  "${generated}/latimer-config-version.cmake" DESTINATION "${config}")
file(RELATIVE_PATH latimer_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${files}/latimer.pc.in" "${generated}/latimer.pc" @ONLY)
install(FILES "${generated}/latimer.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# The source, for latimer_add_runtime() and for boards, without what an older
# version had.
install(CODE "file(REMOVE_RECURSE
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${latimer_source}\")")
install(DIRECTORY api bindings cmake programs runtime schema targets
  DESTINATION "${latimer_source}")
install(FILES CHANGELOG.md CMakeLists.txt CMakePresets.json LICENSE
  DESTINATION "${latimer_source}")

# ---- Programs, manuals, completion, licences --------------------------------

set(programs latimer)
if(TARGET latimer-convert)
  list(APPEND programs latimer-convert)
  install(TARGETS latimer-convert EXPORT latimer)
endif()
foreach(program IN LISTS programs)
  add_dependencies(installable ${program})
  string(MAKE_C_IDENTIFIER "${program}" function)
  foreach(shell IN ITEMS bash zsh fish)
    configure_file("${files}/completion.${shell}.in"
      "${generated}/completion/${shell}/${program}" @ONLY)
  endforeach()
  set(completion "${generated}/completion")
  install(FILES "${completion}/bash/${program}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${completion}/zsh/${program}" RENAME "_${program}"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  install(FILES "${completion}/fish/${program}" RENAME "${program}.fish"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  # The manual is what --help says on a CPU that runs the program.
  if(NOT LATIMER_BOARD AND (NOT CMAKE_CROSSCOMPILING
      OR (CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_CROSSCOMPILING_EMULATOR)))
    set(manual "${generated}/${program}.1")
    add_custom_command(OUTPUT "${manual}"
      COMMAND "${CMAKE_COMMAND}"
        "-DPROGRAM=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:${program}>"
        "-DVERSION=${PROJECT_VERSION}" "-DMANUAL=${manual}"
        -P "${files}/manual.cmake"
      DEPENDS ${program} "${files}/manual.cmake" VERBATIM)
    add_custom_target(${program}_manual ALL DEPENDS "${manual}")
    add_dependencies(installable ${program}_manual)
    install(FILES "${manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  endif()
endforeach()
install(FILES LICENSE RENAME copyright DESTINATION "${doc}")
install(FILES CHANGELOG.md "${PROJECT_BINARY_DIR}/latimer.cdx.json" TYPE DOC)
list(TRANSFORM LATIMER_SHIPPED_PARTS REPLACE "(.+)"
  "${LATIMER_THIRD_PARTY_DIR}/\\1/" OUTPUT_VARIABLE licenses)
# A build without the converter has none of its.
install(DIRECTORY ${licenses} DESTINATION "${doc}/licenses" OPTIONAL)
if(SKBUILD)  # Where PEP 639 and PEP 770 have them in a wheel.
  install(DIRECTORY ${licenses} COMPONENT python OPTIONAL
    DESTINATION "${SKBUILD_METADATA_DIR}/licenses")
  install(FILES "${PROJECT_BINARY_DIR}/latimer.cdx.json" COMPONENT python
    DESTINATION "${SKBUILD_METADATA_DIR}/sboms")
endif()

# ---- Packages ---------------------------------------------------------------

set(CPACK_GENERATOR TGZ)
if(WIN32)
  set(CPACK_GENERATOR ZIP)
endif()
set(platform "${LATIMER_BOARD}")
if(NOT platform)
  string(TOLOWER "${CMAKE_SYSTEM_NAME}_${CMAKE_SYSTEM_PROCESSOR}" platform)
endif()
set(CPACK_PACKAGE_FILE_NAME "latimer-${PROJECT_VERSION}-${platform}")
set(CPACK_PACKAGE_CONTACT "The Latimer authors")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS "${files}/source_date.cmake")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(CMAKE_CROSSCOMPILING AND LATIMER_TOOLCHAIN_TRIPLE)
  # dpkg-shlibdeps would name packages of the cross compiler.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
  execute_process(COMMAND dpkg-architecture
      "--host-type=${LATIMER_TOOLCHAIN_TRIPLE}" --query DEB_HOST_ARCH
    OUTPUT_VARIABLE debian OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE ignored)
  execute_process(COMMAND dpkg-query -W "-f=\${Version}"
      "libc6-dev-${debian}-cross"
    OUTPUT_VARIABLE libc ERROR_QUIET RESULT_VARIABLE ignored)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" libc "${libc}")
  string(REGEX MATCH "^[0-9]+" gcc "${CMAKE_CXX_COMPILER_VERSION}")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE "${debian}")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "libc6 (>= ${libc}), libgcc-s1, libstdc++6 (>= ${gcc})")
endif()
include(CPack)
