import CarillonSQL

extension Migration {
    /// How many Devices an Occurrence's first Wave has found so far, by which it is told how many are left; and an index of Campaigns that the
    /// server paused, so that counting them reads no others.
    static let campaignFigures = Migration(
        name: "0035 campaign figures",
        indexesAhead: [
            IndexAhead(
                name: "campaigns_halted",
                table: "campaigns",
                columns: "(app_id, id) WHERE alarm IS NOT NULL AND state = 'paused'"
            )
        ]
    ) { _ in
        """
        ALTER TABLE occurrences ADD COLUMN matched BIGINT NOT NULL DEFAULT 0;
        CREATE UNIQUE INDEX IF NOT EXISTS campaigns_halted ON campaigns (app_id, id)
            WHERE alarm IS NOT NULL AND state = 'paused';

        """
    }
}
