import CarillonModel
import CarillonOperatorModel
import Crypto

/// What every registration and every event needs to know of its App, opened once and kept for a while.
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

/// A key that was replaced, and until when it is taken.
struct FormerKey<Key: Sendable>: Sendable {
    let key: Key
    let endsAt: Timestamp
}

extension AppFacts {
    /// A Device's record with what the App's rules make of it.
    func told(_ record: DeviceRecord, at now: Timestamp) -> DeviceRecord {
        var record = record
        if !adRule.covers(language: record.language) { record.adRuleApplies = false }
        if record.tokenState == .active, record.registeredAt < oldestRegistration(at: now) {
            record.tokenState = .expired
        }
        return record
    }

    /// When a Device must have registered to be sent to.
    func oldestRegistration(at now: Timestamp) -> Timestamp {
        now.advanced(by: .seconds(-86_400 * Int64(tokenLifetimeDays)))
    }
}
