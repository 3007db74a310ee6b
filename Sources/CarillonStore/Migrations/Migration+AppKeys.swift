import CarillonSQL

extension Migration {
    /// Every unique key of a table with `app_id` has `app_id`, so that the table can lie on several servers by App.
    ///
    /// An index by id alone becomes one by id and App, which finds an id's App without a look at the table. It does not
    /// say any more that no two Apps have the same id: ids have the millisecond and a place in it that each node chooses
    /// at random. Whoever asks by id alone is told when there are two.
    ///
    /// The new index of Campaigns, of which there is one a transactional message, is built beforehand on PostgreSQL,
    /// beside readers and writers.
    static let appKeys = Migration(
        name: "0020 app keys",
        indexesAhead: [
            IndexAhead(name: "campaigns_by_id_and_app", table: "campaigns", columns: "(id, app_id)")
        ]
    ) { _ in
        """
        CREATE UNIQUE INDEX IF NOT EXISTS campaigns_by_id_and_app ON campaigns (id, app_id);
        DROP INDEX campaigns_by_id;
        CREATE UNIQUE INDEX audiences_by_id_and_app ON audiences (id, app_id);
        DROP INDEX audiences_by_id;
        CREATE UNIQUE INDEX statistics_ids_by_id_and_app ON statistics_ids (id, app_id);
        DROP INDEX statistics_ids_by_id;
        CREATE UNIQUE INDEX templates_by_id_and_app ON templates (id, app_id);
        DROP INDEX templates_by_id;
        CREATE UNIQUE INDEX webhooks_by_id_and_app ON webhooks (id, app_id);
        DROP INDEX webhooks_by_id;

        """
    }
}
