import Carillon
import FacadeSupport
import Foundation

/// The settings in the app's Info.plist.
///
/// | key | value |
/// | --- | --- |
/// | `coim_app_code` | 1 through 64 ASCII letters, digits, `-` and `_`; `APP_CODE` in March 2014 |
/// | `coim_app_key` | text without control characters; `APP_KEY` in March 2014. Proves the app to the server |
/// | `CarillonServerURL` | `https` URL of Carillon's server; `http` for this machine alone |
/// | `coim_timeout` | seconds, more than 0; 30 when missing or anything else |
/// | `coim_debug` | whether calls are logged to the console; false by default |
struct CoimConfiguration: Sendable {
    let server: URL
    let appCode: String
    let appKey: String
    let timeLimit: TimeInterval
    let isDebugging: Bool

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - dependencies: Has the Info.plist.
    ///   - server: The server's URL in the app's code; that of the Info.plist when missing.
    /// - Throws: ``CoimError`` when code, key or server are missing or invalid.
    init(_ dependencies: FacadeDependencies, server: URL?) throws {
        func text(_ keys: String...) -> String { keys.lazy.compactMap { dependencies.infoText($0) }.first ?? "" }
        appCode = text("coim_app_code", "APP_CODE")
        appKey = text("coim_app_key", "APP_KEY")
        guard Self.isCode(appCode), !appKey.isEmpty, appKey.unicodeScalars.allSatisfy({ $0.value >= 0x20 }) else {
            throw CoimError.lackOfAppInfo
        }
        do {
            self.server = try dependencies.server(server)
            try CarillonConfiguration(server: self.server, appKey: "coim").validate()
        } catch {
            throw CoimError.make(.lackOfAppInfo, String(describing: error))
        }
        timeLimit = Self.timeLimit(dependencies.infoValue("coim_timeout"))
        isDebugging = dependencies.infoValue("coim_debug") as? Bool ?? false
    }

    /// The URL of all calls, without a slash at its end.
    ///
    /// The app code is the first segment of the path and not a sub-domain, which the server accepts as well: a server of one's
    /// own has one name and one certificate, and sub-domains would need a wildcard in DNS and in the certificate.
    var base: URL { server.appendingPathComponent(appCode) }

    static func timeLimit(_ value: Any?) -> TimeInterval {
        let seconds = (value as? NSNumber)?.doubleValue ?? (value as? String).flatMap(Double.init) ?? 0
        return seconds.isFinite && seconds > 0 ? seconds : 30
    }

    /// Whether a text can be a segment of a path as it is.
    private static func isCode(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { scalar in
                let isOther = ("0"..."9").contains(scalar) || scalar == "-" || scalar == "_"
                return isOther || scalar.isASCII && scalar.properties.isAlphabetic
            }
    }
}
