#if canImport(SwiftUI) && canImport(UIKit)
import SwiftUI

/// The events of a kind.
struct EventListView: View {
    @Environment(\.texts) private var texts
    @StateObject private var screen: Observed<EventListState, EventListModel>
    private let app: FunArtModel

    init(app: FunArtModel, kind: EventKind) {
        self.app = app
        _screen = StateObject(wrappedValue: Observed(app.list(kind)))
    }

    var body: some View {
        List {
            Trouble(failure: screen.state.failure, isStored: screen.state.isStored) { await screen.model.load() }
            ForEach(screen.state.rows) { session in
                NavigationLink {
                    EventView(app: app, id: session.event)
                } label: {
                    EventRowView(session: session)
                }
            }
        }
        .overlay { if screen.state.isLoading { ProgressView(texts.loading) } }
        .navigationTitle(texts.name(of: screen.state.kind))
        .toolbar {
            Menu(texts.chooseKind) {
                ForEach(EventKind.allCases) { kind in
                    Button(texts.name(of: kind)) { Task { await screen.model.choose(kind) } }
                }
            }
            Menu(texts.period) {
                ForEach(Period.allCases) { period in
                    Button(texts.name(of: period)) { Task { await screen.model.choose(period) } }
                }
            }
        }
        .task { await screen.model.load() }
    }
}

/// A row of the list.
struct EventRowView: View {
    @Environment(\.texts) private var texts
    let session: EventSession

    var body: some View {
        let details = EventDetails(session, in: texts)
        HStack {
            AsyncImage(url: details.image) {
                $0.resizable()
            } placeholder: {
                Image(systemName: "theatermasks")
            }
            .frame(width: 56, height: 56)
            VStack(alignment: .leading) {
                Text(details.title).font(.headline)
                Text(details.time)
                Text(details.place).font(.footnote)
            }
        }
    }
}

/// An event.
struct EventView: View {
    @Environment(\.texts) private var texts
    @Environment(\.openURL) private var openURL
    @StateObject private var screen: Observed<EventState, EventModel>
    private let app: FunArtModel

    init(app: FunArtModel, id: String) {
        self.app = app
        _screen = StateObject(wrappedValue: Observed(app.event(id)))
    }

    var body: some View {
        List {
            Trouble(failure: screen.state.failure, isStored: screen.state.isStored) { await screen.model.load() }
            if let session = screen.state.session { rows(EventDetails(session, in: texts), session) }
        }
        .overlay { if screen.state.isLoading { ProgressView(texts.loading) } }
        .navigationTitle(texts.eventTitle)
        .toolbar {
            if screen.state.hasSeveralSessions {
                Menu(texts.session) {
                    ForEach(screen.state.sessions.indices, id: \.self) { index in
                        Button(EventDetails(screen.state.sessions[index], in: texts).time) {
                            screen.model.choose(index)
                        }
                    }
                }
            }
        }
        .task { await screen.model.load() }
    }

    @ViewBuilder private func rows(_ details: EventDetails, _ session: EventSession) -> some View {
        AsyncImage(url: details.image) {
            $0.resizable().scaledToFit()
        } placeholder: {
            EmptyView()
        }
        Text(details.title).font(.title2)
        Text("\(texts.session)：\(details.time)")
        Text("\(texts.place)：\(details.place)")
        Text("\(texts.address)：\(details.address)")
        Text("\(texts.days)：\(details.period)")
        Text("\(texts.organizer)：\(details.organizer)")
        Text("\(texts.source)：\(details.source)")
        Text("\(texts.price)：\(details.price ?? texts.free)")
        Text(details.description)
        if let url = details.ticketURL { Button(texts.tickets) { openURL(url) } }
        if let map = app.map(session) {
            NavigationLink(texts.map) { StopMapView(app: app, model: map) }
        }
        if let isFollowed = screen.state.isPlaceFollowed {
            Button(isFollowed ? texts.unfollowPlace : texts.followPlace) {
                Task { await screen.model.toggleFollow() }
            }
        }
    }
}
#endif
