import CarillonEngine
import CarillonModel
import CarillonSQL

/// A table with rows of Apps, as the deletion of an App goes through it.
struct AppRows: Hashable, Sendable {
    /// A column of the key behind the App.
    struct Column: Hashable, Sendable {
        enum Kind: Hashable, Sendable { case integer, text, bytes }

        var name: String
        var kind = Kind.integer

        /// - Parameter text: A name, with a `*` behind that of a text, and a `#` behind that of bytes.
        fileprivate init(_ text: Substring) {
            name = String(text.prefix { $0 != "*" && $0 != "#" })
            kind = text.hasSuffix("*") ? .text : text.hasSuffix("#") ? .bytes : .integer
        }
    }

    let table: String
    let key: [Column]
    /// How many rows a transaction removes: fewer where each has many indexes.
    let limit: Int
    /// Whether it is work of dispatchers or has secrets: it is removed before everything else.
    let isWork: Bool

    /// - Parameters:
    ///   - table: The table's name.
    ///   - key: The columns of its key but for the App, those of texts with a `*` and those of bytes with a `#`.
    ///   - limit: How many rows a transaction removes.
    ///   - isWork: Whether it is removed first.
    private init(_ table: String, _ key: String = "", limit: Int = 1_000, isWork: Bool = false) {
        self.table = table
        self.key = key.split(separator: " ").map(Column.init)
        self.limit = limit
        self.isWork = isWork
    }

    /// All tables with rows of Apps, in the order in which they are emptied; only the audit log keeps its rows.
    ///
    /// Secrets first, though the request that deleted the App removed them: another one may have saved some meanwhile.
    /// Chunks come before what their commits need. A test compares the list with the schema.
    static let all: [AppRows] = [
        AppRows("push_keys", isWork: true), AppRows("push_key_candidates", isWork: true),
        AppRows("app_secrets", isWork: true),
        AppRows("former_app_secrets", "kind* number", isWork: true), AppRows("api_keys", "id", isWork: true),
        AppRows("user_message_rules", isWork: true), AppRows("webhooks", "id", isWork: true),
        AppRows("vendor_apis", "api*", isWork: true), AppRows("account_tokens", "token_hash#", isWork: true),
        AppRows("vendor_app_codes", isWork: true), AppRows("content_sources", "set_name* name*", isWork: true),
        AppRows("chunks", "occurrence_id chunk", isWork: true),
        AppRows("retries", "occurrence_id device_number push_type", isWork: true),
        AppRows("waves", "occurrence_id wave", isWork: true), AppRows("user_erasures", "user_id*", isWork: true),
        AppRows("unused_recipient_lists", "list_id"),
        AppRows("campaign_recipients", "campaign_id user_id*", limit: 500),
        AppRows("import_windows", "first_number"), AppRows("webhook_outbox", "webhook_id at id", limit: 500),
        AppRows("webhook_messages", "webhook_id id"), AppRows("webhook_attempts", "webhook_id number"),
        AppRows("inbox_broadcasts", "occurrence_id"),
        AppRows("inbox_rows", "device_number occurrence_id"), AppRows("device_reads", "device_number occurrence_id"),
        AppRows("user_reads", "user_id* occurrence_id"),
        AppRows("recent_sends", "device_number occurrence_id push_type"), AppRows("device_badges", "device_number"),
        AppRows("events", "occurrence_id device_number kind action*"),
        AppRows("deliveries", "occurrence_id device_number push_type"),
        AppRows("statistics_by_time", "unit bucket statistics_id channel kind reason slot"),
        AppRows("statistics_by_occurrence", "occurrence_id bucket kind reason slot"),
        AppRows("delivery_counts", "occurrence_id outcome reason slot"),
        AppRows("event_counts", "occurrence_id kind slot"), AppRows("action_counts", "occurrence_id action* slot"),
        AppRows("variant_counts", "occurrence_id variant outcome slot"),
        AppRows("variant_event_counts", "occurrence_id variant kind slot"), AppRows("statistics_ids", "id"),
        AppRows("occurrences", "id", limit: 500), AppRows("campaigns", "id", limit: 100),
        AppRows("templates", "id", limit: 200),
        AppRows("audiences", "id", limit: 200), AppRows("consent_changes", "device_number at"),
        AppRows("device_tags", "tag device_number"), AppRows("device_categories", "label device_number"),
        AppRows("user_tags", "user_id*"), AppRows("user_attributes", "user_id* name*", limit: 500),
        AppRows("call_tokens", "device_number", limit: 500),
        AppRows("invalid_tokens", "at device_number push_type", limit: 500),
        AppRows("devices", "number", limit: 200), AppRows("former_device_numbers", "number", limit: 500),
        AppRows("deleted_devices", "number", limit: 500), AppRows("tags", "id*", limit: 500),
        AppRows("category_labels", "number", limit: 500), AppRows("vendor_device_ids", "public_id#", limit: 500),
        AppRows("removed_tokens", "token_hash#"),
        AppRows("accounts", "user_id*", limit: 500), AppRows("sign_in_attempts", "subject#"), AppRows("account_rules"),
        AppRows("operator_roles", "operator_id"),
        AppRows("app_retention"),
        AppRows("test_devices", "device_number"), AppRows("test_pairings", "code_hash#"), AppRows("test_sends", "at"),
        AppRows("content_alert_runs", "slot"), AppRows("content_new_rows", "slot number"),
        AppRows("content_bundles", "set_name* table_name* due_at user_id* name*"),
        AppRows("content_follow_keys", "set_name* table_name* term* user_hash follow_id"),
        AppRows("content_follows", "id"), AppRows("content_announced", "set_name* table_name* name*"),
        AppRows("content_alerts", "set_name* table_name*"), AppRows("content_feeds", "set_name* name*", limit: 4),
        AppRows("content_attachment_parts", "id number", limit: 16), AppRows("content_attachments", "id"),
        AppRows("content_sets", "name*"),
        AppRows("content_runs", "id"), AppRows("content_versions", "slot"),
        AppRows("content_terms", "slot field term* number"), AppRows("content_times", "slot field at number"),
        AppRows("content_rows", "slot number", limit: 200),
    ]

    // MARK: - Statements

    private func list(_ place: (Column) -> String) -> String {
        let all = key.map(place).joined(separator: ", ")
        return key.count == 1 ? all : "(\(all))"
    }

    /// The parameters of a key, from one on.
    private func parameters(from first: Int) -> String {
        let all = key.indices.map { "$\(first + $0)" }.joined(separator: ", ")
        return key.count == 1 ? all : "(\(all))"
    }

    /// The key of the last row of a step; without a row, all that are left are fewer.
    func lastOfStep(isFirst: Bool) -> ComposedSQL {
        let columns = key.map(\.name).joined(separator: ", ")
        let after = isFirst ? "" : " AND \(list(\.name)) > \(parameters(from: 2))"
        return ComposedSQL(
            ofOurs: """
                SELECT \(columns) FROM \(table) WHERE app_id = $1\(after)
                ORDER BY app_id, \(columns) LIMIT 1 OFFSET \(limit - 1)
                """
        )
    }

    /// Deletes rows after a key, or from the first one on, through another one, or all of them.
    func delete(isFirst: Bool, isLast: Bool) -> ComposedSQL {
        let after = isFirst ? "" : " AND \(list(\.name)) > \(parameters(from: 2))"
        let through = isLast ? "" : " AND \(list(\.name)) <= \(parameters(from: isFirst ? 2 : 2 + key.count))"
        return ComposedSQL(ofOurs: "DELETE FROM \(table) WHERE app_id = $1\(after)\(through)")
    }

    var hasRows: ComposedSQL { ComposedSQL(ofOurs: "SELECT 1 FROM \(table) WHERE app_id = $1 LIMIT 1") }
}

extension AppRowsPosition.Value {
    func bind(to statement: any SQLStatement, at index: Int) {
        switch self {
        case .integer(let value): statement.bind(value, at: index)
        case .text(let value): statement.bind(value, at: index)
        case .bytes(let value): value.withUnsafeBytes { statement.bind($0, at: index) }
        }
    }
}
