import CarillonModel
import Foundation

/// Which of Apple's environments the app was signed for.
///
/// An app that Xcode installed carries a profile with `aps-environment` set to `development`; one from the App Store
/// carries none, and those of TestFlight and ad hoc distribution say `production`.
enum ProvisioningProfile {
    static var pushType: PushType {
        #if targetEnvironment(simulator)
        return .apnsSandbox
        #else
        guard let url = Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision"),
            let profile = try? Data(contentsOf: url)
        else { return .apns }
        return pushType(of: profile)
        #endif
    }

    /// Reads a profile: a signed envelope around a property list, which is found by its words.
    static func pushType(of profile: Data) -> PushType {
        let text = String(decoding: profile, as: UTF8.self)
        guard let key = text.range(of: "<key>aps-environment</key>") else { return .apns }
        let value = text[key.upperBound...].drop { $0.isWhitespace }
        return value.hasPrefix("<string>development</string>") ? .apnsSandbox : .apns
    }
}
