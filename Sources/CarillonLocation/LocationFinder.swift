#if canImport(CoreLocation) && !os(tvOS) && !os(watchOS)
import Carillon
import CarillonModel
import CoreLocation
import Foundation

/// Finds the phone's location once.
@MainActor
final class LocationFinder: NSObject {
    private let manager = CLLocationManager()
    private let permission = OneShot<Void>()
    private let answer = OneShot<Result<DeviceLocation, CarillonError>>()

    nonisolated override init() { super.init() }

    /// Requests permission if it was not requested before, and finds the location.
    func find() async throws(CarillonError) -> DeviceLocation {
        manager.delegate = self
        // A kilometre suffices for audiences, and costs little battery.
        manager.desiredAccuracy = kCLLocationAccuracyKilometer
        if manager.authorizationStatus == .notDetermined {
            manager.requestWhenInUseAuthorization()
            await permission.wait()
        }
        switch manager.authorizationStatus {
        case .notDetermined, .restricted, .denied: throw .permissionDenied
        default: break
        }
        manager.requestLocation()
        return try await answer.wait().get()
    }
}

extension LocationFinder: CLLocationManagerDelegate {
    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        if manager.authorizationStatus != .notDetermined { permission.complete(()) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let found = locations.last, found.horizontalAccuracy >= 0 else {
            answer.complete(.failure(.noLocation))
            return
        }
        let location = DeviceLocation(
            latitude: found.coordinate.latitude,
            longitude: found.coordinate.longitude,
            at: Timestamp(found.timestamp)
        )
        answer.complete(.success(location))
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        let isDenied = (error as? CLError)?.code == .denied
        answer.complete(.failure(isDenied ? .permissionDenied : .noLocation))
    }
}
#endif
