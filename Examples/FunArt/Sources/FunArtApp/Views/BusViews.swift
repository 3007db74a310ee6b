#if canImport(SwiftUI) && canImport(UIKit)
import MapKit
import SwiftUI

/// A venue and the stops near it.
struct StopMapView: View {
    @Environment(\.texts) private var texts
    @StateObject private var screen: Observed<MapState, MapModel>
    @State private var region: MKCoordinateRegion
    private let app: FunArtModel

    private struct Mark: Identifiable {
        let id: String
        let title: String
        let position: Position
        let isVenue: Bool
    }

    init(app: FunArtModel, model: MapModel) {
        self.app = app
        _screen = StateObject(wrappedValue: Observed(model))
        let span = MKCoordinateSpan(latitudeDelta: MapState.span, longitudeDelta: MapState.span)
        _region = State(wrappedValue: MKCoordinateRegion(center: model.state.center.coordinate, span: span))
    }

    var body: some View {
        VStack {
            Trouble(failure: screen.state.failure, isStored: screen.state.isStored) { await screen.model.load() }
            Map(coordinateRegion: $region, annotationItems: marks) { mark in
                MapAnnotation(coordinate: mark.position.coordinate) {
                    Button {
                        Task { await screen.model.select(mark.id) }
                    } label: {
                        Image(systemName: "mappin").foregroundColor(mark.isVenue ? .green : .red)
                    }
                    .accessibilityLabel(mark.title)
                }
            }
            if let pin = screen.state.selectedPin {
                Text(pin.title)
                Text(pin.routes ?? texts.loading)
            }
        }
        .navigationTitle(screen.state.venue.place)
        .toolbar {
            if screen.state.hasRouteList {
                NavigationLink(texts.routes) { RouteListView(app: app, stops: screen.state.pins.map(\.stop)) }
            }
        }
        .task { await screen.model.load() }
    }

    private var marks: [Mark] {
        let venue = screen.state.venue
        return [Mark(id: "", title: venue.place, position: screen.state.center, isVenue: true)]
            + screen.state.pins.map { Mark(id: $0.id, title: $0.title, position: $0.stop.position, isVenue: false) }
    }
}

extension Position {
    fileprivate var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}

/// The routes near a venue.
struct RouteListView: View {
    @Environment(\.texts) private var texts
    @StateObject private var screen: Observed<RouteListState, RouteListModel>
    private let app: FunArtModel

    init(app: FunArtModel, stops: [BusStop]) {
        self.app = app
        _screen = StateObject(wrappedValue: Observed(app.routes(stops)))
    }

    var body: some View {
        List {
            Trouble(failure: screen.state.failure, isStored: false) { await screen.model.load() }
            ForEach(screen.state.routes) { route in
                NavigationLink(route.title) { ArrivalsView(app: app, route: route) }
            }
        }
        .navigationTitle(texts.routes)
        .task { await screen.model.load() }
    }
}

/// The next buses of a route.
struct ArrivalsView: View {
    @Environment(\.texts) private var texts
    @StateObject private var screen: Observed<ArrivalsState, ArrivalsModel>

    init(app: FunArtModel, route: BusRoute) {
        _screen = StateObject(wrappedValue: Observed(app.arrivals(route)))
    }

    var body: some View {
        List {
            Trouble(failure: screen.state.failure, isStored: screen.state.isStored) { await screen.model.refresh() }
            if let rows = screen.state.rows {
                ForEach(rows.indices, id: \.self) { index in ArrivalRowView(row: ArrivalWords(rows[index], in: texts)) }
            } else {
                Text(texts.loading)
            }
        }
        .navigationTitle(screen.state.title)
        .refreshable { await screen.model.refresh() }
        .task { await screen.model.refresh() }
    }
}

/// The next bus at a stop.
struct ArrivalRowView: View {
    @Environment(\.texts) private var texts
    let row: ArrivalWords

    var body: some View {
        HStack {
            Text(row.direction)
            Text(row.name)
            Spacer()
            Text(row.time)
            Text(row.isPredicted ? texts.live : texts.timetable).font(.footnote)
        }
    }
}
#endif
