/// Replaces the master key: seals all values again while nodes run.
///
/// First it writes a check value of the new key next to the old one's; nodes seal with the new key as soon as they have
/// read it. Last it makes that the store's only check value. If it is interrupted in between, the store works with both
/// keys, and the rotation is run again.
package struct MasterKeyRotation: Sendable {
    /// The result.
    package struct Report: Hashable, Sendable {
        /// How many values were sealed again.
        package var resealed = 0
        /// How many values no key opens, by column; they are unchanged.
        package var unreadable: [SealedColumn: Int] = [:]

        package init() {}
    }

    /// How many values a step seals again.
    private static let stepSize = 100
    /// Maximum number of passes over all columns, before it gives up.
    private static let passLimit = 20

    private let values: any SealedValueStore
    private let checks: any MasterKeyCheckStore
    private let vault: Vault
    private let waitForNodes: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - values: The sealed values.
    ///   - checks: The check values.
    ///   - vault: The old key, which comes first, and the new one.
    ///   - waitForNodes: Waits until every node has read the new check value.
    package init(
        values: any SealedValueStore,
        checks: any MasterKeyCheckStore,
        vault: Vault,
        waitForNodes: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.values = values
        self.checks = checks
        self.vault = vault
        self.waitForNodes = waitForNodes
    }

    /// Seals all values with a key and makes it the store's only one.
    ///
    /// - Parameter new: One of the vault's keys.
    /// - Returns: The result.
    /// - Throws: ``StoreError``; values that were sealed again stay so, and the store works with both keys.
    package func run(to new: MasterKeyID) async throws -> Report {
        guard vault.seal(with: new) else {
            throw StoreError.failed("The new master key is not among those that are known.")
        }
        let check = try vault.seal([], purpose: MasterKeyCheck.purpose)
        try await checks.setNextCheck(check)
        try await waitForNodes()
        var report = Report()
        for _ in 0..<Self.passLimit {
            let pass = try await pass()
            report.resealed += pass.resealed
            report.unreadable = pass.unreadable
            guard pass.resealed > 0 else {
                try await checks.completeRotation(check)
                return report
            }
        }
        throw StoreError.failed(
            """
            Values are still sealed with the old master key: a node does not know the new one. Give it the file and run this \
            again.
            """
        )
    }

    // MARK: - Private

    private func pass() async throws(StoreError) -> Report {
        var report = Report()
        for column in SealedColumn.allCases where column != .checks {
            var last: SealedPlace?
            repeat {
                let page = try await values.sealedValues(of: column, after: last, limit: Self.stepSize)
                try await reseal(page, of: column, &report)
                last = page.last?.place
            } while last != nil
        }
        return report
    }

    private func reseal(
        _ page: [SealedValue],
        of column: SealedColumn,
        _ report: inout Report
    ) async throws(StoreError) {
        var new: [(former: SealedValue, sealed: [UInt8])] = []
        for value in page where !vault.isCurrent(value.sealed) {
            guard let purpose = column.purpose(value.place), let secret = vault.open(value.sealed, purpose: purpose)
            else {
                report.unreadable[column, default: 0] += 1
                continue
            }
            new.append((value, try vault.seal(secret, purpose: purpose)))
        }
        guard !new.isEmpty else { return }
        report.resealed += new.count
        try await values.replace(new, of: column)
    }
}
