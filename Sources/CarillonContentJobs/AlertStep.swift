import CarillonContentSets
import CarillonModel
import CarillonOperatorModel

/// The followers of a row whom one Campaign is for.
struct AlertStep {
    /// Behind the last of them.
    var position: ContentAlertRun.Position
    var users: [UserID] = []
    var bundled: [BundledRow] = []
    var looked = 0

    init(position: ContentAlertRun.Position) { self.position = position }

    /// Adds the Users of a hash: each once, at once if any of their follows wants that.
    mutating func add(_ group: [FollowCandidate], _ row: FollowedRow, number: Int64, dueAt: Timestamp) {
        looked += group.count
        if let last = group.last {
            position = .init(number: number, userHash: last.userHash, follow: .max)
        }
        let fitting = group.filter { $0.follow.query.fits(row) }
        for (user, candidates) in Dictionary(grouping: fitting, by: \.follow.user) {
            guard let user else { continue }
            if candidates.contains(where: { !$0.follow.isBundled }) {
                users.append(user)
            } else {
                bundled.append(BundledRow(user: user, row: row.key, dueAt: dueAt))
            }
        }
    }
}
