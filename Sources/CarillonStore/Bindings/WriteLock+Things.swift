package import CarillonModel
package import CarillonOperatorModel
package import CarillonSQL
import Foundation

/// The things that writes of ours take turns at.
///
/// Order, where a write needs several: schema, request, keys, operators, app, wave, campaign, device, token, account
/// name, attempts, user; all of them
/// before the first row is written.
extension WriteLock {
    /// The API keys of the server.
    package static let keys = WriteLock("keys")
    /// Operators, their sessions, links and attempts: there are few of them, and each write needs to see the ones before.
    package static let operators = WriteLock("operators")
    /// The keys of vendor APIs, of which each belongs to one App.
    package static let vendorKeys = WriteLock("vendor-keys")
    /// The end of the audit log, to which nothing else is written in one transaction.
    package static let auditLog = WriteLock("audit-log")

    /// A request that a caller may repeat under the same key.
    package static func request(principal: String, key: String) -> WriteLock {
        WriteLock("request", texts: [principal, key])
    }

    /// Everything that an App has few of: tags, categories, templates, settings.
    package static func app(_ app: AppID) -> WriteLock { WriteLock("app", app.rawValue) }

    /// A Campaign's state, and what its Occurrences wait for.
    package static func campaign(_ campaign: CampaignID) -> WriteLock { WriteLock("campaign", campaign.rawValue) }

    /// How far a Wave has been read.
    package static func wave(_ occurrence: OccurrenceID, _ wave: Int64) -> WriteLock {
        WriteLock("wave", occurrence.rawValue, wave)
    }

    /// The name of an account, whether there is one.
    package static func accountName(_ key: String, app: AppID) -> WriteLock {
        WriteLock("account-name", app.rawValue, bytes: key.utf8)
    }

    /// The attempts of a name or an address.
    package static func signInAttempts(_ subject: [UInt8], app: AppID) -> WriteLock {
        WriteLock("sign-in-attempts", app.rawValue, bytes: subject)
    }

    /// A User's tags and attributes, account and sessions.
    package static func user(_ user: UserID, app: AppID) -> WriteLock {
        WriteLock("user", app.rawValue, bytes: user.rawValue.utf8)
    }

    /// A Device by its public id, whether it exists or not.
    package static func device(_ device: DeviceID, app: AppID) -> WriteLock {
        device.withBytes { WriteLock("device", app.rawValue, bytes: $0) }
    }

    /// A device token, whoever has it.
    package static func token(_ token: DeviceToken, app: AppID) -> WriteLock {
        WriteLock("token", app.rawValue, bytes: token.bytes)
    }
}
