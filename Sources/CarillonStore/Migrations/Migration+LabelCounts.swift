import CarillonSQL

extension Migration {
    /// How many labels an App has that Devices told and nobody defined: counting them takes time that a flood of unknown
    /// labels multiplies.
    static let labelCounts = Migration(name: "0030 label counts") { _ in
        """
        ALTER TABLE apps ADD COLUMN told_label_count BIGINT NOT NULL DEFAULT 0;
        UPDATE apps SET told_label_count = (
            SELECT count(*) FROM category_labels l WHERE l.app_id = apps.id AND l.is_defined = 0);

        """
    }
}
