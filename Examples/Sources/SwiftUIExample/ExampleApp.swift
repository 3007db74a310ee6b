#if canImport(SwiftUI) && canImport(UIKit)
import Carillon
import Example
public import SwiftUI

/// An app of SwiftUI's; in an app of its own it is marked `@main`.
///
/// The adaptor makes the delegate, which starts the SDK at launch and hands it the device token.
public struct ExampleApp: App {
    @UIApplicationDelegateAdaptor(AppDelegate.self) private var delegate

    /// Makes the app.
    public init() {}

    /// The app's window.
    public var body: some Scene {
        WindowGroup {
            Button("Allow notifications") {
                Task { await delegate.subscribe(user: nil, wantsAds: false) }
            }
        }
    }
}
#endif
