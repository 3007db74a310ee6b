import CarillonSQL

extension Migration {
    /// Work that could not go on is tried again at a time, and counted; Apps with work are found one by one.
    ///
    /// A Chunk that was given back is free from `free_at` on; the largest number means that its Campaign is paused.
    /// `failures` counts attempts in a row that could not go on, of a Chunk and of an Occurrence; until `failed_until`
    /// no more of an Occurrence are counted.
    static let workFailures = Migration(name: "0017 work failures") { _ in
        """
        ALTER TABLE chunks ADD COLUMN free_at BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE chunks ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE occurrences ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE occurrences ADD COLUMN failed_until BIGINT NOT NULL DEFAULT 0;
        CREATE INDEX chunks_free ON chunks (free_at) WHERE owner IS NULL;
        CREATE INDEX waves_by_app ON waves (app_id, wake_at, occurrence_id) WHERE wake_at IS NOT NULL;

        """
    }
}
