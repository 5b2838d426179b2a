################################################################################
#
# latimer
#
################################################################################

# The tree that this file is in.
LATIMER_SITE = $(realpath $(BR2_EXTERNAL_LATIMER_PATH)/../..)
LATIMER_SITE_METHOD = local
LATIMER_OVERRIDE_SRCDIR_RSYNC_EXCLUSIONS = --exclude=/build
LATIMER_LICENSE = Apache-2.0
LATIMER_LICENSE_FILES = LICENSE
LATIMER_INSTALL_STAGING = YES
LATIMER_SUPPORTS_IN_SOURCE_BUILD = NO
LATIMER_DEPENDENCIES = latimer-sources

LATIMER_PROFILE = $(call qstrip,$(BR2_PACKAGE_LATIMER_PROFILE))
LATIMER_CONF_OPTS = \
	$(LATIMER_SOURCES_CMAKE_OPTS) \
	-DLATIMER_CACHE_DIR=OFF \
	-DLATIMER_HOST_CXX="$(CMAKE_HOST_CXX_COMPILER)" \
	-DLATIMER_MODEL=$(or $(basename $(notdir $(LATIMER_PROFILE))),any) \
	-DLATIMER_SHARED=ON \
	-DLATIMER_TESTS=OFF

ifneq ($(LATIMER_PROFILE),)
define LATIMER_COPY_PROFILE
	$(INSTALL) -D -m 0644 $(LATIMER_PROFILE) $(@D)/targets/models
endef
LATIMER_PRE_CONFIGURE_HOOKS += LATIMER_COPY_PROFILE
endif

# The source, for builds with other profiles, stays in staging.
define LATIMER_REMOVE_SOURCE
	$(RM) -r $(TARGET_DIR)/usr/share/latimer
endef
LATIMER_POST_INSTALL_TARGET_HOOKS += LATIMER_REMOVE_SOURCE

$(eval $(cmake-package))
