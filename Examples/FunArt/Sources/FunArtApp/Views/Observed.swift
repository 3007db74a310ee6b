#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI

/// A screen's state as SwiftUI observes it.
@MainActor
final class Observed<State: Hashable & Sendable, Model: Screen<State>>: ObservableObject {
    let model: Model
    @Published private(set) var state: State

    init(_ model: Model) {
        self.model = model
        state = model.state
        model.onChange = { [weak self] in self?.state = $0 }
    }
}

/// The language of the phone.
private struct TextsKey: EnvironmentKey {
    static let defaultValue = Language(preferred: Locale.preferredLanguages).texts
}

extension EnvironmentValues {
    var texts: Texts { self[TextsKey.self] }
}

/// Why a screen shows nothing, or what it shows is old.
struct Trouble: View {
    @Environment(\.texts) private var texts
    let failure: Failure?
    let isStored: Bool
    let retry: () async -> Void

    var body: some View {
        if let failure {
            VStack(alignment: .leading) {
                Text(texts.text(of: failure))
                Button(texts.retry) { Task { await retry() } }
            }
        } else if isStored {
            Text(texts.stored).font(.footnote)
        }
    }
}
#endif
