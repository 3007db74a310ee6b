import CarillonModel
import CarillonOperatorModel
import Crypto

/// The data of an App that every registration and every event needs, decrypted once and cached.
struct AppFacts: Sendable {
    let identity: App.Identity
    let dialect: App.Dialect
    let adRule: App.AdRule
    let tokensPerUser: App.TokensPerUser
    let tokenLifetimeDays: Int
    let identityKey: SymmetricKey
    let receiptKey: ReceiptKey
    var formerIdentityKeys: [FormerKey<SymmetricKey>] = []
    var formerReceiptKeys: [FormerKey<ReceiptKey>] = []
}

/// A replaced key, and until when it is accepted.
struct FormerKey<Key: Sendable>: Sendable {
    let key: Key
    let endsAt: Timestamp
}

extension AppFacts {
    /// Returns a Device's record with the App's rules applied.
    func applyingRules(to record: DeviceRecord, at now: Timestamp) -> DeviceRecord {
        var record = record
        if !adRule.covers(language: record.language) { record.adRuleApplies = false }
        if record.tokenState == .active, record.registeredAt < oldestRegistration(at: now) {
            record.tokenState = .expired
        }
        return record
    }

    /// The oldest registration time that is still sent to.
    func oldestRegistration(at now: Timestamp) -> Timestamp {
        now.advanced(by: .seconds(-86_400 * Int64(tokenLifetimeDays)))
    }
}
