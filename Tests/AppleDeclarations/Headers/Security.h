// The keychain, as far as Secrets/KeychainSecretStore.swift uses it, and the types of Core Foundation that it names.
//
// Swift on Linux bridges no value to a type of Core Foundation. So each such type is declared as what its values are
// bridged to: CFDictionary and CFTypeRef are any object, and a CFString constant is a string.
#pragma once
#import "AppleFoundation.h"

NS_ASSUME_NONNULL_BEGIN

typedef int OSStatus;
typedef id CFTypeRef;
typedef id CFDictionary;

enum : OSStatus {
    errSecSuccess API_AVAILABLE(ios(2.0), macos(10.0)) = 0,
    errSecItemNotFound API_AVAILABLE(ios(2.0), macos(10.0)) = -25300
};

extern NSString *const kSecClass API_AVAILABLE(ios(2.0), macos(10.6));
extern NSString *const kSecClassGenericPassword API_AVAILABLE(ios(2.0), macos(10.7));
extern NSString *const kSecAttrAccessible API_AVAILABLE(ios(4.0), macos(10.9));
extern NSString *const kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly API_AVAILABLE(ios(4.0), macos(10.9));
extern NSString *const kSecAttrAccessGroup API_AVAILABLE(ios(3.0), macos(10.9));
extern NSString *const kSecAttrAccount API_AVAILABLE(ios(2.0), macos(10.6));
extern NSString *const kSecAttrService API_AVAILABLE(ios(2.0), macos(10.6));
extern NSString *const kSecMatchLimit API_AVAILABLE(ios(2.0), macos(10.6));
extern NSString *const kSecMatchLimitOne API_AVAILABLE(ios(2.0), macos(10.6));
extern NSString *const kSecReturnData API_AVAILABLE(ios(2.0), macos(10.6));
extern NSString *const kSecValueData API_AVAILABLE(ios(2.0), macos(10.6));

// SecItemCopyMatching(_:_:) is not here: the importer takes no argument of the form `&found` where the standard library
// has no AutoreleasingUnsafeMutablePointer. Of SecItemAdd(_:_:) the second argument is `nil` only.
OSStatus SecItemAdd(CFDictionary attributes, void *_Nullable result) API_AVAILABLE(ios(2.0), macos(10.6));
OSStatus SecItemUpdate(CFDictionary query, CFDictionary attributesToUpdate) API_AVAILABLE(ios(2.0), macos(10.6));
OSStatus SecItemDelete(CFDictionary query) API_AVAILABLE(ios(2.0), macos(10.6));

NS_ASSUME_NONNULL_END
