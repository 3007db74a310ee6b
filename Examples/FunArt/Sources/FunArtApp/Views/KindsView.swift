#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI

/// The nine kinds, and the ways to the other screens.
struct KindsView: View {
    @Environment(\.texts) private var texts
    let app: FunArtModel
    let isOffline: Bool
    @Binding var opened: String?

    var body: some View {
        NavigationView {
            ScrollView {
                if isOffline { Text(texts.stored).font(.footnote) }
                LazyVGrid(columns: Array(repeating: GridItem(), count: 3)) {
                    ForEach(EventKind.allCases) { kind in
                        NavigationLink(texts.name(of: kind)) { EventListView(app: app, kind: kind) }
                            .frame(minHeight: 96)
                    }
                }
                if let opened {
                    NavigationLink(isActive: isOpened) {
                        EventView(app: app, id: opened)
                    } label: {
                        EmptyView()
                    }
                }
            }
            .navigationTitle(texts.kinds)
            .toolbar {
                NavigationLink(texts.follows) { FollowsView(app: app) }
                NavigationLink(texts.aboutShort) { AboutView(app: app) }
            }
        }
    }

    private var isOpened: Binding<Bool> {
        Binding {
            opened != nil
        } set: {
            if !$0 { opened = nil }
        }
    }
}

/// What the app is, and the way out.
struct AboutView: View {
    @Environment(\.texts) private var texts
    let app: FunArtModel

    var body: some View {
        Form {
            Text(texts.aboutText)
            if let person = app.state.person { Text("\(texts.signedInAs)：\(person.displayName)") }
            Button(texts.signOut) { Task { await app.signOut() } }
        }
        .navigationTitle(texts.about)
    }
}
#endif
