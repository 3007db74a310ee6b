package import CarillonEngine
package import CarillonSQL

extension PostgreSQLNotifications {
    /// Joins a node's signals to those of the others.
    ///
    /// - Parameters:
    ///   - database: Whose nodes tell each other.
    ///   - signals: The node's own.
    /// - Throws: ``StoreError/unavailable(_:)`` when the process has no descriptors left.
    package convenience init(of database: PostgreSQLDatabase, joining signals: CampaignSignals) throws(StoreError) {
        try self.init(
            of: database,
            receive: { text in if let notification = CampaignNotification(text) { signals.receive(notification) } },
            joined: { signals.work.signal() }
        )
        signals.notifyOthers { [weak self] in self?.notify($0.text) }
    }
}
