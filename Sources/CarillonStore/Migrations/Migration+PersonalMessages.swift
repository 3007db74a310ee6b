import CarillonSQL

extension Migration {
    /// Whether Campaigns of an App whose identity is open may be personal; they always were in those that are there.
    static let personalMessages = Migration(name: "0043 personal messages") { dialect in
        """
        ALTER TABLE apps ADD COLUMN personal_messages \(dialect.small) NOT NULL DEFAULT 0;
        UPDATE apps SET personal_messages = 1 WHERE identity = 'open';

        """
    }
}
