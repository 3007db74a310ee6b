// What C code of the SDK uses of Core Foundation.
#pragma once
#include <stddef.h>

typedef const struct __CFString *CFStringRef;
typedef const struct __CFDictionary *CFDictionaryRef;
typedef struct __CFNotificationCenter *CFNotificationCenterRef;
typedef CFStringRef CFNotificationName;
typedef long CFIndex;
typedef enum __attribute__((enum_extensibility(open))) CFNotificationSuspensionBehavior : CFIndex {
    CFNotificationSuspensionBehaviorDrop = 1,
    CFNotificationSuspensionBehaviorCoalesce = 2,
    CFNotificationSuspensionBehaviorHold = 3,
    CFNotificationSuspensionBehaviorDeliverImmediately = 4
} CFNotificationSuspensionBehavior;
typedef void (*CFNotificationCallback)(
    CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object, CFDictionaryRef userInfo);

#define CFSTR(text) ((CFStringRef)__builtin___CFStringMakeConstantString("" text ""))
extern CFNotificationCenterRef CFNotificationCenterGetLocalCenter(void);
extern void CFNotificationCenterAddObserver(
    CFNotificationCenterRef center, const void *observer, CFNotificationCallback callBack, CFStringRef name,
    const void *object, CFNotificationSuspensionBehavior suspensionBehavior);
