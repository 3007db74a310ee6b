import CarillonSQL

extension Migration {
    /// Whom an App's rules for ads cover.
    static let adRule = Migration(name: "0005 ad rule") { _ in
        "ALTER TABLE apps ADD COLUMN ad_rule TEXT NOT NULL DEFAULT 'everyone';"
    }
}
