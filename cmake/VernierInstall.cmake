# find_package(vernier) works from the installed tree, and so does pkg-config; tests/consumer proves it.
include(CMakePackageConfigHelpers)
set(place ${CMAKE_INSTALL_LIBDIR}/cmake/vernier)
install(EXPORT vernier_standard NAMESPACE vernier:: DESTINATION ${place})
install(EXPORT vernier_modules NAMESPACE vernier:: DESTINATION ${place})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/vernierConfig.cmake.in
  ${PROJECT_BINARY_DIR}/vernierConfig.cmake INSTALL_DESTINATION ${place})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/vernierConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vernierConfig.cmake ${PROJECT_BINARY_DIR}/vernierConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindKLU.cmake
  DESTINATION ${place})

# paths are relative to the file, so that the tree can be moved
file(RELATIVE_PATH from_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/vernier.pc.in ${PROJECT_BINARY_DIR}/vernier.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/vernier.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
