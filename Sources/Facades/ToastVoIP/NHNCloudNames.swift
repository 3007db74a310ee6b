#if canImport(UIKit)
/// ``ToastVoIP``, by today's name.
public typealias NHNCloudVoIP = ToastVoIP
/// ``ToastVoIPDelegate``, by today's name.
public typealias NHNCloudVoIPDelegate = ToastVoIPDelegate
#endif
