// What C code of the SDK uses of the Objective-C runtime.
#pragma once
typedef struct objc_class *Class;
typedef struct objc_selector *SEL;
extern Class objc_getClass(const char *name);
extern SEL sel_registerName(const char *name);
