import Carillon
import CarillonLocation
import CarillonModel
import CoreLocation
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications

@Suite("The phone's place")
struct PlaceTests {
    private func phone(_ answer: CLAuthorizationStatus = .authorizedWhenInUse) async throws -> TestPhone {
        let test = try TestPhone()
        test.compass.promptAnswer = answer
        try await test.phone.register()
        await test.system.openApp()
        return test
    }

    private func report(_ test: TestPhone) async throws -> Bool {
        try await test.phone.inside { phone in try await phone.app?.carillon.reportCurrentLocation() ?? false }
    }

    @Test("C-77 nobody is asked and nothing is told unless it is enabled; then the place goes with the registration")
    func enabled() async throws {
        let test = try await phone()
        test.compass.put(latitude: 35.68, longitude: 139.76, at: test.time.now().date)
        #expect(try await !report(test))
        #expect(test.compass.promptCount == 0 && test.server.registrations.map(\.location) == [nil])
        await MainActor.run { test.phone.app?.carillon.client.isLocationEnabled = true }
        #expect(try await report(test))
        #expect(try await report(test))

        let place = DeviceLocation(latitude: 35.68, longitude: 139.76, at: test.time.now())
        #expect(test.compass.promptCount == 1)
        #expect(test.server.registrations.map(\.location) == [place])
    }

    @Test(
        "A denied permission is an error, and no location is sent",
        arguments: [CLAuthorizationStatus.denied, .restricted]
    )
    func reportsDeniedPermissions(answer: CLAuthorizationStatus) async throws {
        let test = try await phone(answer)
        await MainActor.run { test.phone.app?.carillon.client.isLocationEnabled = true }
        let error = await #expect(throws: CarillonError.self) { try await report(test) }

        #expect(error?.code == .permissionDenied)
        #expect(test.server.registrations.map(\.location) == [nil])
    }

    @Test("A phone that does not know its location reports an error") func reportsUnknownLocations() async throws {
        let test = try await phone()
        await MainActor.run { test.phone.app?.carillon.client.isLocationEnabled = true }
        let error = await #expect(throws: CarillonError.self) { try await report(test) }

        #expect(error?.code == .noLocation)
    }
}

extension TestPhone {
    var compass: SimulatedCompass { system.part() }
}
