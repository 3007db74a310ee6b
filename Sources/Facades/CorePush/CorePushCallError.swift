#if canImport(UIKit)
import Foundation

/// Why a call fails before Carillon's SDK has it.
enum CorePushCallError: Error {
    case noConfigKey, invalidToken, noToken, invalidURL
}

extension CorePushCallError: LocalizedError, CustomStringConvertible {
    var errorDescription: String? { description }

    var description: String {
        switch self {
        case .noConfigKey: "Set CorePushManager.shared.configKey to the App key of Carillon's server."
        case .invalidToken: "A device token has 8 through 100 bytes, each of two hexadecimal digits."
        case .noToken: "The system gave no device token: pass it to registerDeviceToken(_:)."
        case .invalidURL: "The api of the attributes is not a URL."
        }
    }
}
#endif
