import CarillonEngine
import CarillonModel
import CarillonOperatorModel
import CarillonSQL

extension ImportTable {
    /// Counts what would become of lines, one by one.
    ///
    /// - Returns: `nil` when there is no such App.
    func preview(_ lines: [ImportedDevice], app: AppID) throws -> ImportCounts? {
        let isThere = try connection.first("SELECT 1 FROM apps WHERE id = $1", app) { _ in true }
        guard isThere != nil else { return nil }
        var counts = ImportCounts()
        for line in lines {
            let holder = try connection.deviceTokens.holders(of: line.token, like: line.registration, app: app).first
            if let holder {
                counts.consents.compare(
                    line.registration.consent,
                    with: holder.consent,
                    isRegistered: !holder.isImported
                )
            }
            switch try outcome(of: line, holder, app: app) {
            case .added: counts.added += 1
            case .replaced: counts.replaced += 1
            case .registered: counts.registered += 1
            }
        }
        return counts
    }

    private func outcome(of line: ImportedDevice, _ holder: TokenHolder?, app: AppID) throws -> ImportOutcome {
        let elsewhere = holder == nil ? try otherHolder(of: line.token, line.registration, app) : .none
        guard try !isLeftAlone(line, holder, elsewhere, app) else { return .registered }
        let known = try line.device.flatMap { try connection.devices.deviceRow(app: app, device: $0) }
        if let known, !known.isImported { return .registered }
        if case .misplaced = elsewhere { return .replaced }
        return known != nil || holder != nil ? .replaced : .added
    }
}
