################################################################################
#
# latimer-sources
#
################################################################################

# The versions that cmake/LatimerDependencies.cmake and LatimerXnnpack.cmake of
# Latimer pin; tests/packaging/check_buildroot_pins.cmake compares them. Other
# versions, such as those of Buildroot's own packages, are refused.
LATIMER_SOURCES_VERSION = 4ea82e595b36106653175dcb04b2aa532660d0d8
LATIMER_SOURCES_PTHREADPOOL_VERSION = 560c60d342a76076f0557a3946924c6478470044
LATIMER_SOURCES_FXDIV_VERSION = b408327ac2a15ec3e43352421954f5b1967701d1
LATIMER_SOURCES_FLATBUFFERS_VERSION = 23.5.26
LATIMER_SOURCES_XXHASH_VERSION = 0.8.3
LATIMER_SOURCES_SODIUM_VERSION = 1.0.18-RELEASE
LATIMER_SOURCES_NLOHMANN_JSON_VERSION = 3.11.3

LATIMER_SOURCES_SITE = $(call github,google,XNNPACK,$(LATIMER_SOURCES_VERSION))
LATIMER_SOURCES_SOURCE = xnnpack-$(LATIMER_SOURCES_VERSION).tar.gz
LATIMER_SOURCES_EXTRA_DOWNLOADS = \
	$(call github,Maratyszcza,pthreadpool,$(LATIMER_SOURCES_PTHREADPOOL_VERSION))/pthreadpool-$(LATIMER_SOURCES_PTHREADPOOL_VERSION).tar.gz \
	$(call github,Maratyszcza,FXdiv,$(LATIMER_SOURCES_FXDIV_VERSION))/fxdiv-$(LATIMER_SOURCES_FXDIV_VERSION).tar.gz \
	$(call github,google,flatbuffers,v$(LATIMER_SOURCES_FLATBUFFERS_VERSION))/flatbuffers-$(LATIMER_SOURCES_FLATBUFFERS_VERSION).tar.gz \
	$(call github,Cyan4973,xxHash,v$(LATIMER_SOURCES_XXHASH_VERSION))/xxhash-$(LATIMER_SOURCES_XXHASH_VERSION).tar.gz \
	$(call github,jedisct1,libsodium,$(LATIMER_SOURCES_SODIUM_VERSION))/sodium-$(LATIMER_SOURCES_SODIUM_VERSION).tar.gz \
	$(call github,nlohmann,json,v$(LATIMER_SOURCES_NLOHMANN_JSON_VERSION))/nlohmann_json-$(LATIMER_SOURCES_NLOHMANN_JSON_VERSION).tar.gz
LATIMER_SOURCES_LICENSE = \
	BSD-3-Clause (XNNPACK), \
	BSD-2-Clause (pthreadpool, xxHash), \
	MIT (FXdiv, nlohmann_json), \
	Apache-2.0 (FlatBuffers), \
	ISC (libsodium)
LATIMER_SOURCES_LICENSE_FILES = \
	xnnpack/LICENSE \
	pthreadpool/LICENSE \
	fxdiv/LICENSE \
	flatbuffers/LICENSE \
	xxhash/LICENSE \
	sodium/LICENSE \
	nlohmann_json/LICENSE.MIT
LATIMER_SOURCES_INSTALL_TARGET = NO

# Each archive becomes a folder with its name without version.
LATIMER_SOURCES_ARCHIVES = \
	$(LATIMER_SOURCES_SOURCE) \
	$(notdir $(LATIMER_SOURCES_EXTRA_DOWNLOADS))

define LATIMER_SOURCES_EXTRACT_CMDS
	$(foreach archive,$(LATIMER_SOURCES_ARCHIVES),
		mkdir -p $(@D)/$(firstword $(subst -, ,$(archive)))
		$(call suitable-extractor,$(archive)) \
			$(LATIMER_SOURCES_DL_DIR)/$(archive) | \
			$(TAR) --strip-components=1 \
			-C $(@D)/$(firstword $(subst -, ,$(archive))) $(TAR_OPTIONS) -
	)
endef

# The options that make Latimer's CMake use them.
LATIMER_SOURCES_CMAKE_OPTS = \
	$(foreach archive,$(LATIMER_SOURCES_ARCHIVES), \
		-DFETCHCONTENT_SOURCE_DIR_$(call UPPERCASE,$(firstword $(subst -, ,$(archive))))=$(LATIMER_SOURCES_DIR)/$(firstword $(subst -, ,$(archive))))

$(eval $(generic-package))
