include $(sort $(wildcard $(BR2_EXTERNAL_LATIMER_PATH)/package/*/*.mk))
