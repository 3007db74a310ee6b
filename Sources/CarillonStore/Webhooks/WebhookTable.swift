import CarillonSQL

/// Webhooks and their outbox, in SQL on one connection.
struct WebhookTable {
    let connection: any SQLConnection
}

extension SQLConnection {
    var webhooks: WebhookTable { WebhookTable(connection: self) }
}
