import CarillonContentSets
import CarillonModel
import NIOConcurrencyHelpers

/// Versions that are often searched near points, in memory, within a bound: see ``PlaceAdmission``.
///
/// A version's number leads to it, and the current one's is read with each query: another node may publish at any time.
final class ContentPlaceCache: Sendable {
    typealias Key = PlaceAdmission.Key

    /// What a search near a point does.
    enum Step: Sendable {
        case use(ContentPlaces)
        /// Reads the version into memory, if it is worth its room: one search does.
        case consider
        /// Asks the database.
        case ask
    }

    private struct State {
        var admission: PlaceAdmission
        var places: [Key: ContentPlaces] = [:]
    }

    /// Maximum bytes of one version.
    let maximumVersionSize: Int
    private let state: NIOLockedValueBox<State>

    init(_ limits: PlaceAdmission.Limits = .init()) {
        maximumVersionSize = limits.versionSize
        state = NIOLockedValueBox(State(admission: PlaceAdmission(limits)))
    }

    func step(_ key: Key) -> Step {
        state.withLockedValue { state in
            switch state.admission.search(key) {
            case .useMemory: state.places[key].map(Step.use) ?? .ask
            case .consider: .consider
            case .askDatabase: .ask
            }
        }
    }

    /// Whether a version is worth its room.
    func mayRead(_ key: Key, of table: PlaceAdmission.Table, size: Int) -> Bool {
        state.withLockedValue { $0.admission.mayRead(key, of: table, size: size) }
    }

    /// Saves what was read of a version in place of what makes room.
    func save(_ places: ContentPlaces, as key: Key, of table: PlaceAdmission.Table) {
        state.withLockedValue { state in
            guard let displaced = state.admission.hold(key, of: table, size: places.size) else { return }
            for other in displaced { state.places[other] = nil }
            state.places[key] = places
        }
    }

    /// Lets a later search try again, after a reading that failed.
    func release(_ key: Key) { state.withLockedValue { $0.admission.release(key) } }

    /// Leaves a version to the database for some time.
    func giveUp(_ key: Key) { state.withLockedValue { $0.admission.giveUp(key) } }
}
