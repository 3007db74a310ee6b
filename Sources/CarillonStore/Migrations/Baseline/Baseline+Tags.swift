import CarillonSQL

/// Tags of Users, which lie where they are looked for.
extension Baseline {
    /// `tags.number` is unique in its App and never given twice.
    ///
    /// It counts only while its tag is there: a tag that is deleted leaves its row in `tags` first and the others in steps.
    ///
    /// `devices.tags` has the numbers of the tags of the Device's User, ascending, with commas between them; null where
    /// there are none. All Devices of a User have the same. `user_tags` has those of Users who have no Device at the
    /// moment. `device_tags` has a row for each number in `devices.tags`; its `facets` have what rules ask most: see
    /// ``DeviceFacets``.
    var tags: [String] {
        [
            """
            CREATE TABLE tags (
                app_id BIGINT NOT NULL,
                id \(dialect.text) NOT NULL,
                name \(dialect.text) NOT NULL,
                created_at BIGINT NOT NULL,
                number BIGINT NOT NULL DEFAULT 0,
                updated_at BIGINT NOT NULL DEFAULT 0,
                PRIMARY KEY (app_id, id)
            ) \(dialect.clustered);
            CREATE UNIQUE INDEX tags_by_number ON tags (app_id, number);
            CREATE TABLE device_tags (
                app_id BIGINT NOT NULL,
                tag BIGINT NOT NULL,
                device_number BIGINT NOT NULL,
                facets BIGINT NOT NULL,
                PRIMARY KEY (app_id, tag, device_number)
            ) \(dialect.clustered);
            CREATE TABLE user_tags (
                app_id BIGINT NOT NULL,
                user_id \(dialect.text) NOT NULL,
                tags \(dialect.text) NOT NULL,
                PRIMARY KEY (app_id, user_id)
            ) \(dialect.clustered);

            """
        ]
    }
}
