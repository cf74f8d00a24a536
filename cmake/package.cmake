# `cmake --install` lays out bin/tradewind and share/tradewind side by side; the program finds its
# data from where it stands itself, so the folder can be moved. `cpack` makes the Debian package.
foreach(folder models hardware configs traces)
  install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/tradewind OPTIONAL)
endforeach()
# What `tradewind validate` compares its own traces with.
install(FILES validation/baseline.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tradewind/validation
        OPTIONAL)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The tradewind developers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package_check.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "Predicts latency, throughput and exposed communication of LLM inference and training over\n parallel plans (tensor, pipeline, data) on modelled accelerators, without owning them.")
include(CPack)
