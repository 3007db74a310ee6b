import CarillonModel
import CarillonOperatorModel
import Foundation

extension WebhookPost {
    /// The purpose under which a webhook's secrets are sealed.
    static func purpose(_ id: WebhookID) -> String { "webhook-secret \(id)" }

    /// Encodes and signs a message, with the former secret too while that is valid.
    ///
    /// - Throws: ``StoreError/failed(_:)`` when the secret was sealed with another master key.
    init(
        _ stored: StoredWebhook,
        _ id: WebhookMessageID,
        _ items: [WebhookItem],
        vault: Vault,
        at now: Timestamp
    ) throws(StoreError) {
        let webhook = stored.webhook
        let purpose = Self.purpose(webhook.id)
        guard let secret = vault.open(stored.sealedSecret, purpose: purpose) else {
            throw .failed("The webhook's secret cannot be decrypted with this master key.")
        }
        var secrets = [String(decoding: secret, as: UTF8.self)]
        if let until = webhook.formerSecretUntil, now < until, let sealed = stored.sealedFormerSecret,
            let former = vault.open(sealed, purpose: purpose)
        {
            secrets.append(String(decoding: former, as: UTF8.self))
        }
        guard
            let body = try? JSONEncoder.sorted().encode(
                WebhookBody(app: webhook.app, webhook: webhook.id, items: items)
            )
        else {
            throw .failed("A message to a webhook cannot be encoded as JSON.")
        }
        let bytes = Array(body)
        self.init(
            app: webhook.app,
            url: webhook.url,
            id: id.description,
            timestamp: now,
            signature: WebhookSignature.value(id: id.description, timestamp: now, body: bytes, secrets: secrets),
            body: bytes
        )
    }
}
