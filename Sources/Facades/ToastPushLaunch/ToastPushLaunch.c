// Tells ToastPush that the app has launched, before the app calls anything.
//
// The vendor's SDK does this in +load, which Swift does not have. A constructor is the same for the linker and for the App
// Store: dyld runs it before main, and dead stripping keeps it. It only observes; the facade decides, by the app's Info.plist,
// whether it starts. The class is looked up by its name, so that this target needs no symbol of another.
#if defined(__APPLE__)
#include <CoreFoundation/CoreFoundation.h>
#include <objc/message.h>
#include <objc/runtime.h>

static void launched(
    CFNotificationCenterRef center, void *observer, CFNotificationName name, const void *object, CFDictionaryRef userInfo)
{
    Class facade = objc_getClass("CarillonToastPushLaunch");
    if (facade) ((void (*)(Class, SEL))objc_msgSend)(facade, sel_registerName("didFinishLaunching"));
}

// The notification comes on the main thread, before the system tells anybody of the tap that launched the app.
__attribute__((constructor)) static void observeLaunch(void)
{
    CFNotificationCenterAddObserver(
        CFNotificationCenterGetLocalCenter(), NULL, launched, CFSTR("UIApplicationDidFinishLaunchingNotification"), NULL,
        CFNotificationSuspensionBehaviorDeliverImmediately);
}
#endif
