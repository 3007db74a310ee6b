public import CarillonModel
public import Foundation

/// The settings of a client.
public struct CarillonConfiguration: Sendable {
    /// The server's URL, `https`, or `http` for this machine alone; its path is the prefix of all paths.
    public var server: URL
    /// The App's public key: 1 through 200 visible ASCII characters.
    public var appKey: String
    /// The App Group that app and service extension share, if there is one.
    ///
    /// The app then sends what the extension could not.
    public var appGroup: String?
    /// The keychain access group of the Device's secret; missing: the app's own.
    public var keychainGroup: String?
    /// The folder for state and events; missing: the App Group's, otherwise Application Support.
    public var storage: URL?
    /// Apple's environment that the app's device tokens belong to; missing: that of the provisioning profile.
    public var pushType: PushType?
    /// Whether the phone's location may be sent; false by default.
    public var reportsLocation: Bool
    /// The longest time that a call waits for the server, in seconds, 1 through 300.
    public var deadline: TimeInterval
    /// The schemes, in lower case, of links that the SDK opens when a notification or its button is tapped.
    ///
    /// It opens no others, because a push could start a telephone call, another app or an installation. By default these
    /// are `http`, `https`, the schemes that the app's Info.plist registers for the app itself, and those that it
    /// lists as `CarillonLinkSchemes`, as `mailto` or `tel`. `nil` opens links of all schemes but those that run script or read
    /// the phone's files.
    public var linkSchemes: Set<String>?
    /// Receives entries for the app's own log.
    public var log: (@Sendable (CarillonLogEntry) -> Void)?

    /// Makes a configuration with default values; set the other properties after that.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - appKey: The App's public key.
    public init(server: URL, appKey: String) {
        self.server = server
        self.appKey = appKey
        deadline = 30
        reportsLocation = false
        linkSchemes = LinkText.schemes(info: Bundle.main.infoDictionary ?? [:])
    }

    /// Reads a configuration from an Info.plist: `CarillonServerURL`, `CarillonAppKey` and, if present,
    /// `CarillonAppGroup`, `CarillonReportsLocation` and `CarillonLinkSchemes`.
    ///
    /// - Parameter bundle: The bundle with the Info.plist; an extension has its own.
    /// - Throws: ``CarillonError`` with code `invalidConfiguration` when the first two are missing or invalid; it is in the console
    ///   too, for an app that ignores it.
    public init(bundle: Bundle) throws(CarillonError) {
        do throws(CarillonError) {
            try self.init(reading: bundle)
        } catch {
            CarillonLog.console(error)
            throw error
        }
    }

    private init(reading bundle: Bundle) throws(CarillonError) {
        guard let text = Self.value("CarillonServerURL", in: bundle) as? String,
            let server = URL(string: text)
        else { throw .invalidConfiguration("CarillonServerURL is missing from Info.plist, or is no URL") }
        guard let appKey = Self.value("CarillonAppKey", in: bundle) as? String else {
            throw .invalidConfiguration("CarillonAppKey is missing from Info.plist")
        }
        self.init(server: server, appKey: appKey)
        appGroup = Self.value("CarillonAppGroup", in: bundle) as? String
        reportsLocation = Self.value("CarillonReportsLocation", in: bundle) as? Bool ?? false
        var info = bundle.infoDictionary ?? [:]
        for key in ["CarillonLinkSchemes", "CFBundleURLTypes"] { info[key] = Self.value(key, in: bundle) ?? info[key] }
        linkSchemes = LinkText.schemes(info: info)
    }

    private static func value(_ key: String, in bundle: Bundle) -> Any? {
        #if os(Linux)
        if bundle == .main, let installation = SimulatedInstallation.current { return installation.info(key) }
        #endif
        return bundle.object(forInfoDictionaryKey: key)
    }

    /// Checks the settings.
    package func validate() throws(CarillonError) {
        let scheme = server.scheme?.lowercased()
        guard let host = server.host, !host.isEmpty, scheme == "https" || scheme == "http" else {
            throw .invalidConfiguration("server must be an https URL with a host")
        }
        // App key and device secret are in headers, which must not cross a network unencrypted.
        guard scheme == "https" || ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased()) else {
            throw .invalidConfiguration("server must be https; http is allowed for this machine alone")
        }
        guard server.query == nil, server.fragment == nil, server.user == nil else {
            throw .invalidConfiguration("server must have no query, fragment or user")
        }
        guard (1...200).contains(appKey.utf8.count), appKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidConfiguration("appKey must have 1 through 200 visible ASCII characters")
        }
        guard (1...300).contains(deadline) else {
            throw .invalidConfiguration("deadline must be 1 through 300 seconds")
        }
    }
}
