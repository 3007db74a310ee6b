import CarillonSQL

extension Migration {
    /// Files that people attach to rows of content sets.
    ///
    /// `content_attachments.row_name` is the key of the row, and `kind` a number of the app's. A file is in parts of 128 KiB, so
    /// that nothing holds it as a whole.
    static let contentAttachments = Migration(name: "0012 content attachments") { dialect in
        """
        CREATE TABLE content_attachments (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            set_name \(dialect.text) NOT NULL,
            table_name \(dialect.text) NOT NULL,
            row_name \(dialect.text) NOT NULL,
            user_id \(dialect.text) NOT NULL,
            kind \(dialect.small) NOT NULL,
            title \(dialect.text),
            name \(dialect.text) NOT NULL,
            media_type \(dialect.text) NOT NULL,
            size BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, id)
        ) \(dialect.clustered);
        CREATE INDEX content_attachments_by_row ON content_attachments (app_id, set_name, table_name, row_name);
        CREATE INDEX content_attachments_by_user ON content_attachments (app_id, user_id, size);
        CREATE TABLE content_attachment_parts (
            app_id BIGINT NOT NULL,
            id BIGINT NOT NULL,
            number BIGINT NOT NULL,
            bytes \(dialect.bytes) NOT NULL,
            PRIMARY KEY (app_id, id, number)
        );
        \(dialect == .postgreSQL ? estimates : "")
        """
    }

    /// See ``Baseline/estimates``.
    private static let estimates = """
        ALTER TABLE content_attachments ALTER COLUMN app_id SET (n_distinct = 1);
        ALTER TABLE content_attachment_parts ALTER COLUMN app_id SET (n_distinct = 1);
        """
}
