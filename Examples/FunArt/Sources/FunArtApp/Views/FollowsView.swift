#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI

/// What the person follows.
struct FollowsView: View {
    @Environment(\.texts) private var texts
    @StateObject private var screen: Observed<FollowsState, FollowsModel>

    init(app: FunArtModel) {
        _screen = StateObject(wrappedValue: Observed(app.follows()))
    }

    var body: some View {
        Form {
            Trouble(failure: screen.state.failure, isStored: false) { await screen.model.load() }
            Text(texts.followsHint)
            ForEach(EventKind.allCases) { kind in
                Toggle(texts.name(of: kind), isOn: binding(kind))
            }
            ForEach(screen.state.places, id: \.self) { place in
                Button("\(texts.unfollow) \(place.text)") {
                    Task { await screen.model.set(.place(place), isOn: false) }
                }
            }
        }
        .navigationTitle(texts.follows)
        .task { await screen.model.load() }
    }

    private func binding(_ kind: EventKind) -> Binding<Bool> {
        Binding {
            screen.state.kinds.contains(kind)
        } set: { isOn in
            Task { await screen.model.set(.kind(kind), isOn: isOn) }
        }
    }
}
#endif
