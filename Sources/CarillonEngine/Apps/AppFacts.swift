import CarillonModel
import CarillonOperatorModel
import Crypto

/// What every registration and every event needs to know of its App, opened once and kept for a while.
struct AppFacts: Sendable {
    let identity: App.Identity
    let dialect: App.Dialect
    let adRule: App.AdRule
    let identityKey: SymmetricKey
    let receiptKey: ReceiptKey
}

extension AppFacts {
    /// A Device's record with what the App's rules make of it.
    func told(_ record: DeviceRecord) -> DeviceRecord {
        guard !adRule.covers(language: record.language) else { return record }
        var record = record
        record.adRuleApplies = false
        return record
    }
}
