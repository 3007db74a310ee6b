import CarillonModel
import CarillonOperatorModel
import Crypto

/// What every registration and every event needs to know of its App, opened once and kept for a while.
struct AppFacts: Sendable {
    let identity: App.Identity
    let dialect: App.Dialect
    let identityKey: SymmetricKey
    let receiptKey: ReceiptKey
}
