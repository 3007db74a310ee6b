import CarillonSQL

extension Migration {
    /// Holds webhooks without comparing clocks.
    ///
    /// `is_held` says that a claim has not ended; `fence` counts claims, and a node that sees it stand still for long
    /// takes the holder for dead. `told_at` gives the order in which webhooks are told.
    static let webhookRotation = Migration(name: "0021 webhook turns") { _ in
        """
        ALTER TABLE webhooks ADD COLUMN is_held BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE webhooks ADD COLUMN told_at BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE webhooks DROP COLUMN lease_until;

        """
    }
}
