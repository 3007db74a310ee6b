import CarillonModel
import Foundation

/// Apple's environment that the app was signed for.
///
/// An app that Xcode installed carries a profile with `aps-environment` set to `development`; one from the App Store
/// has no profile, and those of TestFlight and ad hoc distribution have `production`.
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

    /// Reads a profile: a signed envelope around a property list, which is searched as text.
    static func pushType(of profile: Data) -> PushType {
        let text = String(decoding: profile, as: UTF8.self)
        guard let key = text.range(of: "<key>aps-environment</key>") else { return .apns }
        let value = text[key.upperBound...].drop { $0.isWhitespace }
        return value.hasPrefix("<string>development</string>") ? .apnsSandbox : .apns
    }
}
