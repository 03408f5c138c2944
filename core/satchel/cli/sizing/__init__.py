"""Commands about local models and the devices they run on."""
