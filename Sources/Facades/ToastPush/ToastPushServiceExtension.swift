#if canImport(UIKit)
public import Carillon
public import CarillonServiceExtension
import FacadeSupport

/// A service extension that shows a message's media and buttons, and reports that it was received: an empty subclass
/// suffices.
///
/// The App key comes from `ToastPush.initialize(configuration:)` in the subclass's initializer, or from `ToastSDK` →
/// `ToastPush` → `AppKey` (or `NHNCloudSDK` → `NHNCloudPush` → `AppKey`) of the extension's Info.plist; the server's
/// URL from the configuration or `CarillonServerURL`. Without both a notification is shown unchanged, and nothing is
/// reported.
open class ToastPushServiceExtension: CarillonNotificationServiceExtension {
    private let adapter = ToastPushAdapter.current

    /// The server's URL and the App's key.
    ///
    /// - Returns: The configuration from code or Info.plist.
    /// - Throws: An error when there is neither.
    open override func carillonConfiguration() throws -> CarillonConfiguration {
        try adapter.extensionConfiguration()
    }
}

extension ToastPushAdapter {
    /// The App key in the Info.plist, under the vendor's names.
    var appKeyOfInfo: String? {
        dependencies.infoText("ToastSDK", "ToastPush", "AppKey")
            ?? dependencies.infoText("NHNCloudSDK", "NHNCloudPush", "AppKey")
    }

    func extensionConfiguration() throws -> CarillonConfiguration {
        guard let fields = configuration ?? appKeyOfInfo.map({ ToastPushConfiguration.Fields(appKey: $0) }) else {
            throw ToastPushError(.notInitialized, "The extension has no App key.")
        }
        return dependencies.configuration(try dependencies.configuration(of: fields))
    }
}
#endif
