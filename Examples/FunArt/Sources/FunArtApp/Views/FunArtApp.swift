#if canImport(SwiftUI) && canImport(UIKit)
public import SwiftUI

/// The app; in a project of its own it is marked `@main`.
public struct FunArtApp: App {
    @UIApplicationDelegateAdaptor(FunArtDelegate.self) private var delegate

    /// Makes the app.
    public init() {}

    /// The app's window.
    public var body: some Scene {
        WindowGroup {
            if let app = delegate.app { RootView(app: Observed(app)) }
        }
    }
}

/// The screen for signing in, or the kinds.
struct RootView: View {
    @ObservedObject var app: Observed<FunArtState, FunArtModel>
    @Environment(\.scenePhase) private var phase
    @State private var opened: String?

    var body: some View {
        content
            .task { await app.model.start() }
            .onChange(of: phase) { if $0 == .active { Task { await app.model.didBecomeActive() } } }
            .onChange(of: app.state) { _ in opened = app.model.takeOpenedEvent() ?? opened }
    }

    @ViewBuilder private var content: some View {
        switch app.state.place {
        case .starting: ProgressView()
        case .signIn: SignInView(screen: Observed(app.model.signIn()))
        case .kinds: KindsView(app: app.model, isOffline: app.state.isOffline, opened: $opened)
        }
    }
}
#endif
