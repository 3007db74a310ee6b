#if canImport(UIKit)
import Carillon
import FacadeSupport
import Foundation

extension FacadeDependencies {
    /// Converts the vendor's configuration to the SDK's.
    func configuration(
        of fields: ToastPushConfiguration.Fields
    ) throws(MissingServer) -> CarillonConfiguration {
        var configuration = CarillonConfiguration(server: try server(fields.serverURL), appKey: fields.appKey)
        configuration.pushType = fields.sandbox.map { $0 ? .apnsSandbox : .apns }
        // The vendor's buttons and click actions may open other apps by their schemes.
        configuration.linkSchemes = nil
        return configuration
    }

    /// Makes the SDK's client; what the configuration says of the phone takes the place of the phone's own facts.
    func client(of fields: ToastPushConfiguration.Fields, isDebugging: Bool) throws -> CarillonClient {
        var configuration = try self.configuration(of: fields)
        if isDebugging { configuration.log = { NSLog("%@", "Carillon: \($0.message) \($0.facts)") } }
        return try client(configuration) { facts in
            if let country = fields.countryCode {
                facts.country = country
                if let zone = PhoneFacts.mainTimeZone(of: country) { facts.timeZone = zone }
            }
            if let language = fields.languageCode { facts.language = language }
            if let timezone = fields.timezone { facts.timeZone = timezone }
        }
    }
}
#endif
