/// Replaces the master key: seals everything anew, beside the nodes that run.
///
/// It begins by writing a check value of the new key beside the old one's; from then on nodes seal with the new key, as
/// soon as they have seen it. It ends by making that the store's only check value. Cut off anywhere in between, it leaves
/// a store that works with both keys, and is run again.
package struct MasterKeyRotation: Sendable {
    /// What was done.
    package struct Report: Hashable, Sendable {
        /// How many values were sealed anew.
        package var resealed = 0
        /// How many values no key opens, by column; they are as they were.
        package var unreadable: [SealedColumn: Int] = [:]

        package init() {}
    }

    /// How many values a step seals anew.
    private static let stepSize = 100
    /// How often all columns are gone through, before it gives up that nothing is left.
    private static let passLimit = 20

    private let values: any SealedValueStore
    private let checks: any MasterKeyCheckStore
    private let vault: Vault
    private let waitForNodes: @Sendable () async throws -> Void

    /// - Parameters:
    ///   - values: What is sealed.
    ///   - checks: The check values.
    ///   - vault: Has the old key and the new one; its first key is the old one.
    ///   - waitForNodes: Waits until every node has seen the new check value.
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

    /// Seals everything with a key and makes it the store's only one.
    ///
    /// - Parameter new: One of the vault's keys.
    /// - Returns: What was done.
    /// - Throws: ``StoreError``; what was sealed anew stays so, and the store works with both keys.
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
