import CarillonContentSets
import CarillonModel

/// Which sources a node fetches, so that one that does not answer costs only itself.
///
/// Real-time data has places of its own, which no file takes. An App has a part of the places. Of both, what failed the last
/// time, as a server does that hangs, takes at most half.
package struct ContentFetchPlaces: Hashable, Sendable {
    /// How many sources of a kind are fetched at once.
    package struct Limits: Hashable, Sendable {
        package var node: Int
        package var app: Int

        package init(node: Int, app: Int) {
            self.node = node
            self.app = app
        }
    }

    /// Places for files, each of which may be in memory as a whole.
    package var files = Limits(node: 4, app: 2)
    /// Places for real-time data, which is smaller and of no use later.
    package var realtime = Limits(node: 16, app: 8)
    private var running: [DueContentSource: WaitingContentSource] = [:]

    package init() {}

    /// The most sources of an App and a kind that can have places.
    var appLimit: Int { max(files.app, realtime.app) }

    /// Whether no source would get a place.
    var isFull: Bool {
        fetched(isRealtime: false).count >= files.node && fetched(isRealtime: true).count >= realtime.node
    }

    /// Gives a place to a source.
    ///
    /// - Returns: False when it has one already, or has to wait for one.
    mutating func acquire(_ waiting: WaitingContentSource) -> Bool {
        guard running[waiting.source] == nil else { return false }
        let limits = waiting.isRealtime ? realtime : files
        let all = fetched(isRealtime: waiting.isRealtime)
        let ofApp = all.filter { $0.source.app == waiting.source.app }
        guard all.count < limits.node, ofApp.count < limits.app else { return false }
        if waiting.isFailing {
            guard all.count(where: \.isFailing) < max(1, limits.node / 2),
                ofApp.count(where: \.isFailing) < max(1, limits.app / 2)
            else { return false }
        }
        running[waiting.source] = waiting
        return true
    }

    mutating func release(_ source: DueContentSource) { running[source] = nil }

    // MARK: - Private

    private func fetched(isRealtime: Bool) -> [WaitingContentSource] {
        running.values.filter { $0.isRealtime == isRealtime }
    }
}
